"""Attacks, each with a test that a naive program fails."""
