"""Capture: from a client's transcript to memories."""
