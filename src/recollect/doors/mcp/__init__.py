"""MCP: the tools, resources and prompts that an agent's client calls, over stdin and stdout.

Promises: the first answer waits for nothing but the standard library; a store is opened anew for
each call, so every call sees the files as they are; nothing but the protocol goes to stdout.
Touches: stdin, stdout, and through `app` the stores.
"""
