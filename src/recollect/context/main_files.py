"""Which of the files that a session changed say where its work was.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect._fastimport import Pattern

_OF_TESTS = Pattern(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?=[/_.-])", 2)  # re.I
_DOCUMENT = Pattern(r"\.(?:mdx?|mdc|rst|adoc|txt)$", 2)
_SETTINGS = Pattern(  # which many changes touch in passing
    r"(?:^|/)(?:\.git/|\.\w*ignore$|(?:package|tsconfig[\w.]*)\.json$|go\.mod$|(?:pyproject|Cargo)\.toml$)"
    r"|[-.]lock(?:\.\w+)?$|\.sum$",
    2,
)


def where(paths: Sequence[str], told: str, *, is_published: bool) -> Sequence[str]:
    """The files that are not named yet, those of the program before its tests.

    Documents are told where they may be what came of it: beside commits only in place of tests.
    """
    known = told.casefold()
    documents = [path for path in paths if _DOCUMENT.search(path)]
    documents = [path for path in documents if _stem_of(path) not in known]
    program = [
        path
        for path in paths
        if _name_of(path) not in told and not (_DOCUMENT.search(path) or _SETTINGS.search(path))
    ]
    beside = [path for path in program if not _OF_TESTS.search(path)]
    if is_published:
        return beside or (program and documents) or program
    new = {*documents, *(beside or ([] if documents else program))}
    return [path for path in paths if path in new]


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _stem_of(path: str) -> str:
    return _name_of(path).partition(".")[0].casefold()
