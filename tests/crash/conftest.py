"""Fixtures of the crash tests."""

from tests.services.conftest import quick_folder

__all__ = ["quick_folder"]
