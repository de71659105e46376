"""Fixtures of the tests of faults."""

from tests.services.conftest import quick_folder

__all__ = ["quick_folder"]
