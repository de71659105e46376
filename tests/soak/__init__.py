"""Soak: what is long, and what grows."""
