"""GitHub Copilot: its command line, and its chat in VS Code."""
