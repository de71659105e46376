"""Private memories by name in the store's .gitignore, so that no commit takes them along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.model.memory import Change
from recollect.store.store import OpenStore

IGNORE = ".gitignore"


def hidden_from_git(store: OpenStore, paths: Iterable[str]) -> list[Change]:
    """The change to .gitignore that hides these memories from git."""
    text, stamp = store.text_at(IGNORE)
    named = set(text.splitlines())
    new = [line for path in paths if (line := _line(path)) not in named]
    if not new:
        return []
    before = f"{text.rstrip()}\n" if text.strip() else ""
    return [Change("put", IGNORE, "", stamp, before + "".join(f"{line}\n" for line in new))]


def hidden_still(store: OpenStore, moves: Mapping[str, str]) -> list[Change]:
    """The change to .gitignore that hides memories at their new place too, if they were hidden."""
    named = set(store.text_at(IGNORE)[0].splitlines())
    return hidden_from_git(store, (to for path, to in moves.items() if _line(path) in named))


def _line(path: str) -> str:
    is_folder = path.endswith("/summary.md")
    return f"/{path.removesuffix('summary.md') if is_folder else path}"
