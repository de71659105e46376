"""Clients: everything we know about each agent, one module a client."""

# Those whose transcripts we can read.
CAPTURED = ("claude", "codex", "gemini", "opencode", "copilot")
