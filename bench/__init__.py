"""Bench: what is fast and what it costs, measured against a bare baseline in the same run."""
