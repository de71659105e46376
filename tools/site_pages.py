"""A hook of MkDocs: the pages at the root of the project are part of the site, under their own names.

On the project's own pages their links are `../CONTRIBUTING.md` and the like, as they have to be there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
_UP = re.compile(rf"\]\((?P<up>(?:\.\./)+)(?P<name>{'|'.join(map(re.escape, PAGES))})")
_DOWN = re.compile(r"\]\(docs/")
_README = re.compile(r"\[([^\]]*)\]\((?:\.\./)*README(?:\.zh)?\.md(?:#[\w-]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages."""
    for name in PAGES:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page with its links as they are on the site; README is the project's face elsewhere."""
    if page.file.src_uri in PAGES:
        return _README.sub(r"\1", _DOWN.sub("](", markdown))
    markdown = _UP.sub(lambda m: f"]({m['up'][3:]}{m['name']}", markdown)
    return _README.sub(r"\1", markdown) if "../README.md" in markdown else markdown
