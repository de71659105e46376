"""Claude Code: its transcripts, its settings and its plugin."""
