"""Consolidation: what happens to memories over time."""
