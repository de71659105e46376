"""Faults: whatever is broken around the program, nothing acknowledged is lost."""
