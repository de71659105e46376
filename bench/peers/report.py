"""What is said of a run: grades, times, ratios, and the tables of them.

Promises: pure arithmetic.
Touches: nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from bench.coding.data import Cue
from bench.recall.metrics import hit, mrr

FIRST = (1, 5, 10)


class Asked(NamedTuple):
    """A cue that a system was asked: what it found, and seconds by the clock and the processor."""

    cue: Cue
    found: Sequence[str]
    wall: float
    cpu: float


class Result(NamedTuple):
    """All that is known of a system: seconds of its indexing, bytes on disk, its answers."""

    name: str
    how: str
    index_wall: float
    index_cpu: float
    installed: int
    stored: int
    asked: Sequence[Asked]


def grades(asked: Sequence[Asked]) -> dict[str, float]:
    """How well it found: hit@k, MRR, and the share of cues with no answer at all."""
    rows = [(one.found, frozenset(one.cue.want)) for one in asked]
    values = {f"hit@{k}": _mean([hit(*row, k) for row in rows]) for k in FIRST}
    values["MRR"] = _mean([mrr(found[: FIRST[-1]], wanted) for found, wanted in rows])
    values["empty"] = _mean([float(not found) for found, _ in rows])
    return values


def quantile(values: Sequence[float], share: float) -> float:
    """The least value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def in_common(results: Sequence[Result]) -> list[Result]:
    """The same, of the cues alone that every system was asked."""
    least = min(len(one.asked) for one in results)
    return [one._replace(asked=one.asked[:least]) for one in results]


def found_table(results: Sequence[Result]) -> list[str]:
    """How well each found, as lines of Markdown."""
    heads = [*(f"hit@{k}" for k in FIRST), "MRR", "empty"]
    rows = [
        [_name(one), str(len(one.asked)), *(f"{grades(one.asked)[head]:.2f}" for head in heads)]
        for one in results
    ]
    return _table(["", "cues", *heads], rows)


def cost_table(results: Sequence[Result]) -> list[str]:
    """What each cost, as lines of Markdown; the ratios are to the first of them."""
    heads = ["", "index, s", "CPU", "×", "search p50 / p95, ms", "×", "CPU p50 / p95, ms", "×",
             "installed, MB", "store, MB"]  # fmt: skip
    rows = [_costs(one, results[0]) for one in results]
    return _table(heads, rows)


def _costs(one: Result, base: Result) -> list[str]:
    cells = [_name(one), f"{one.index_wall:.2f}", f"{one.index_cpu:.2f}"]
    cells.append(_ratio(one.index_cpu, base.index_cpu))
    for field in ("wall", "cpu"):
        mine, theirs = ([getattr(row, field) * 1000 for row in r.asked] for r in (one, base))
        cells.append(f"{quantile(mine, 0.5):.0f} / {quantile(mine, 0.95):.0f}")
        cells.append(_ratio(quantile(mine, 0.5), quantile(theirs, 0.5)))
    return [*cells, f"{one.installed / 1e6:.0f}", f"{one.stored / 1e6:.1f}"]


def _name(one: Result) -> str:
    return f"{one.name} ({one.how})"


def _ratio(value: float, base: float) -> str:
    if not value or not base:
        return "–"
    ratio = value / base
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]
