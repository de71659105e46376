"""The documents: links lead somewhere, named files and decisions exist, lines of prose stay short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))
MEASUREMENTS = sorted((ROOT / "docs" / "measurements").glob("*.md"))
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS, *GUIDE, *DECISIONS, *MEASUREMENTS]
GENERATED = ("commands.md", "commands.zh.md", "errors.md", "settings.md")
LONGEST_LINE = 160


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a page that are neither code nor a table."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("|"):
            yield number, line


def test_lines_of_prose_are_short() -> None:
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in PAGES
        if page.name not in GENERATED
        for number, line in prose(page)
        if len(line) > LONGEST_LINE
    ]
    assert long == []


def test_links_between_documents_lead_somewhere() -> None:
    link = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
    dead = [
        f"{page.relative_to(ROOT)}:{number} {target}"
        for page in PAGES
        for number, line in prose(page)
        for target in link.findall(line)
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []


def test_every_decision_that_is_cited_exists() -> None:
    numbers = {int(page.name[:4]) for page in DECISIONS if page.name[:4].isdigit()}
    cited = re.compile(r"\bADR (\d+)|docs/adr/(\d{4})")
    sources = [p for d in ("src", "tests", "bench", "tools") for p in (ROOT / d).rglob("*.py")]
    unknown = [
        f"{path.relative_to(ROOT)}: {number}"
        for path in [*PAGES, ROOT / "pyproject.toml", *sources]
        for pair in cited.findall(path.read_text(encoding="utf-8"))
        for number in pair
        if number and int(number) not in numbers
    ]
    assert unknown == []


def test_the_list_of_decisions_is_complete() -> None:
    listed = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    for page in DECISIONS:
        if page.name == "README.md":
            continue
        number, _, title = page.read_text(encoding="utf-8").splitlines()[0][2:].partition(". ")
        assert f"| [{number}]({page.name}) | {title} |" in listed, page.name
        assert int(number) == int(page.name[:4])


def test_files_that_documents_name_exist() -> None:
    """`tests/…` in any page; modules of the source, such as `store/disk.py`, in those about the code."""
    about_code = {"architecture.md", "CONTRIBUTING.md", *(page.name for page in DECISIONS)}
    rooms = "|".join(p.name for p in (ROOT / "src" / "recollect").iterdir() if p.is_dir())
    test = re.compile(r"`((?:tests|bench|tools)/[\w/.]*\w/?)`")
    module = re.compile(
        rf"`((?:{rooms})/[\w/]+\.(?:py|toml)|errors\.py|workspace\.py|i18n\.py|ports\.py|api\.py)`"
    )
    missing = []
    for page in [p for p in PAGES if p not in MEASUREMENTS and p.name != "CHANGELOG.md"]:
        text = page.read_text(encoding="utf-8")
        missing += [f"{page.name}: {p}" for p in test.findall(text) if not (ROOT / p).exists()]
        if page.name in about_code:
            source = ROOT / "src" / "recollect"
            missing += [
                f"{page.name}: {p}" for p in module.findall(text) if not (source / p).exists()
            ]
    assert missing == []
