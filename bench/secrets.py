"""Secrets: how many of each kind are found, how many ordinary lines are touched, and how quickly.

    python -m bench.secrets [--seed 1] [--each 50] [--rules] [--ways]

Every secret here is made up from the seed: by hand-written recipes for the kinds that people really
have (formats as their services describe them, none taken from our rules), and with `--rules` one for
each rule of a service (gitleaks' and ours), from its own pattern, which says whether our windows and keywords lose any.
Each is put into every surrounding in turn; with `--ways` by every way into a store, of which the whole footprint
is looked through then. Touches: stdout, and a temporary folder.
"""

# ruff: noqa: A005 - it is called as `bench.secrets`
from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.secrets_benign import benign_lines
from bench.secrets_kinds import KINDS
from recollect.text.redact import redact

JSON = "as JSON"  # in the input of a tool, as a client writes it
# Where a secret stands.
SURROUNDINGS = (
    "{}",
    "I have put it there for you:\n{}\nPlease use it for the deployment.",
    "+{}\n-old line\n context",
    "HOME=/root\nLANG=C.UTF-8\n{}\nPATH=/usr/bin",
    "2026-01-11T14:30:00Z INFO starting with {} (pid 123)",
    "部署时请用 {} 这个值。",
    "- first: {}, then the rest",
    "It works ({}).",
    "我已经试过（{}），可以了",
    "先用{}。",
    "It is {}.",
    "Use {}; it works",
    "Is it {}?",
    "this is **{}** for now",
    "see {}/x and go on",
    "x?a=1&{}&b=2",
    "/* {}*/",
    JSON,
)
LINES = (
    SURROUNDINGS[:4] + SURROUNDINGS[-1:]
)  # where a text of many lines, or with an end of its own, stands


def secrets_of(kind: str, chance: random.Random, each: int) -> Iterator[tuple[str, str]]:
    """`(text, secret)` for one kind, in one surrounding after the other."""
    for n in range(each):
        text, secret = KINDS[kind](chance)
        usable = (
            LINES if "\n" in text or kind.startswith(("pem-", "chinese-table")) else SURROUNDINGS
        )
        where = usable[n % len(usable)]
        if where is JSON:
            yield json.dumps({"command": f"cat x\n{text}\n"}, ensure_ascii=False), secret
        else:
            yield where.replace("{}", text), secret


def share_found(cases: Iterator[tuple[str, str]]) -> float:
    """How many of these secrets are gone from their texts, as a share."""
    rows = [secret not in redact(text, b"key") for text, secret in cases]
    return sum(rows) / len(rows)


def share_touched(lines: list[str]) -> tuple[float, list[str]]:
    """How many of these lines are changed, as a share, and which."""
    touched = [line for line in lines if redact(line, b"key") != line]
    return len(touched) / len(lines), touched


def megabytes_a_second(text: str) -> float:
    """How much text a second of one core looks through, by all rules."""
    redact(text[:10_000])  # compiles what is compiled once
    started = time.process_time()
    redact(text)
    return len(text) / (time.process_time() - started) / 1e6


def _measured(seed: int, each: int, *, rules: bool) -> None:
    chance = random.Random(seed)
    shares = {kind: share_found(secrets_of(kind, chance, each)) for kind in KINDS}
    low = {kind: share for kind, share in shares.items() if share < 1}
    print(f"{len(KINDS)} kinds, {each} of each in {len(SURROUNDINGS)} surroundings (seed {seed})")
    print(f"  found: {sum(shares.values()) / len(shares):.1%}; not all of: {low or 'none'}")
    if rules:
        from bench.secrets_rules import cases_of_rules

        by_rule = {kind: share_found(iter(c)) for kind, c in cases_of_rules(chance, each)}
        less = {kind: round(share, 2) for kind, share in by_rule.items() if share < 0.95}
        print(f"{len(by_rule)} rules of services, {each} from the pattern of each")
        print(f"  found: {sum(by_rule.values()) / len(by_rule):.1%}; below 95 %: {less or 'none'}")
    lines = benign_lines(chance, 2_000)
    share, touched = share_touched(lines)
    print(f"{len(lines)} ordinary lines: {share:.2%} touched")
    for line in touched[:10]:
        print(f"  {line[:110]}")
    sources = sorted(Path(__file__).parents[1].glob("src/**/*.py"))
    plain = "".join(p.read_text("utf-8") for p in sources if p.name != "rules.py") * 2
    noisy = "\n".join(text for kind in KINDS for text, _ in secrets_of(kind, chance, 20))
    for name, text in (("source code", plain), ("ordinary lines", "\n".join(lines) * 5), ("nothing but secrets", noisy)):  # fmt: skip
        print(f"  {name}: {megabytes_a_second(text):.1f} MB/s ({len(text) / 1e6:.1f} MB)")


def _by_ways(seed: int) -> None:
    """One secret of each kind by each way into a store; then the whole of what is on disk is looked through."""
    from tests.cli.running import Person
    from tests.security.footprint import left_by
    from tests.security.ways_of_each import EACH

    left: Counter[str] = Counter()
    for way in EACH:
        with tempfile.TemporaryDirectory() as folder:
            home, project = Path(folder, "home"), Path(folder, "project")
            home.mkdir()
            project.mkdir()
            person = Person(home, project)
            person.ok("init")
            found = left_by(way, person, str(seed))
        left.update(found.keys())
        share = 1 - len(found) / len(KINDS)
        print(f"{way}: {share:.1%} of {len(KINDS)} kinds gone; left: {found or 'none'}", flush=True)
    low = {kind: f"{1 - n / len(EACH):.0%}" for kind, n in left.items()}
    print(f"{len(KINDS)} kinds by {len(EACH)} ways; not gone by all ways: {low or 'none'}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--ways", action="store_true", help="by every way into a store; minutes")
    given = parser.parse_args()
    if given.ways:
        _by_ways(given.seed)
    else:
        _measured(given.seed, given.each, rules=given.rules)


if __name__ == "__main__":
    main()
