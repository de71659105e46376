"""The notes of a release are what the changelog says of it."""

from __future__ import annotations

from tools.release_notes import notes_of

CHANGELOG = "# Changelog\n\n## Unreleased\n\n- a\n\n## 0.2.0 (2026-12-01)\n\n### Added\n- b\n\n## 0.1.0\n- c\n"


def test_notes_are_those_of_one_version() -> None:
    assert notes_of(CHANGELOG, "0.2.0") == "### Added\n- b"
    assert notes_of(CHANGELOG, "0.1.0") == "- c"
    assert notes_of(CHANGELOG, "0.2") == ""
