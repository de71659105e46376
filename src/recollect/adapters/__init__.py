"""Adapters: one technology each, blind to each other."""
