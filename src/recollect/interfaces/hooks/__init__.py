"""Hooks: the programs that clients run at their events."""
