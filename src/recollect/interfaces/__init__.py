"""Hooks: the programs that a client runs at its events; they cost next to nothing and never fail."""
