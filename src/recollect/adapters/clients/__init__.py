"""Clients: everything we know about each agent, one module a client."""

CAPTURED = ("claude", "codex", "gemini", "opencode")  # those whose transcripts we can read
