"""Bytes that nobody wrote, given to everything that reads what others write."""
