"""Consolidate."""
