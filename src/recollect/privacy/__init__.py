"""Encrypted memories and their keys."""
