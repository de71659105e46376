"""Doors: turn outside requests into service calls, and results into outside form."""
