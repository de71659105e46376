"""One module per client: its transcripts, hooks and settings."""

# Those whose transcripts we can read.
CAPTURED = ("claude", "codex", "gemini", "opencode", "copilot")
