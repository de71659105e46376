"""What a benchmark says where something that it compares with is not on this machine."""

from __future__ import annotations


class NotHere(Exception):
    """What a system needs is missing; says what, and how to get it."""
