"""Skills: what the memories of a store suggest, and what a person decides about it.

Promises: the archive is looked through like the rest, private memories never; one that cannot be
read stops nothing; each decision is one change of the journal and can be undone.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from recollect.domain import skills
from recollect.domain.model import Change, Entry, Filter
from recollect.domain.skills import Detector, Matter, Rules, Settled, Suggestion
from recollect.domain.skills.report import FLAGS, PAGE
from recollect.domain.skills.settled import FILE
from recollect.errors import RecollectError, SuggestionNotFound
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore

_TELLING = ("decision", "issue", "solution")  # kinds of sections that are worth opening a file


class Analysis(NamedTuple):
    """What a store's memories suggest now."""

    looked_at: int
    suggestions: list[Suggestion]
    dismissed: list[Suggestion]
    promoted: list[Suggestion]
    unquotable: int

    def named(self, name: str) -> Suggestion:
        """The suggestion of this name. Raises SuggestionNotFound."""
        for one in (*self.suggestions, *self.dismissed, *self.promoted):
            if one.name == name:
                return one
        raise SuggestionNotFound(name=name)


def analyse(
    store: OpenStore, detectors: Mapping[str, Detector], rules: Rules, *, days: int
) -> Analysis:
    """What repeats itself in the memories of the last days."""
    matters = gather(store, days)
    found = skills.suggest(matters, detectors, rules)
    decided = settled(store)
    piles: dict[str, list[Suggestion]] = {"": [], skills.DISMISSED: [], skills.PROMOTED: []}
    for one in found.suggestions:
        decision = next((s.decision for s in reversed(decided) if s.is_about(one)), "")
        piles.get(decision, piles[""]).append(one)
    return Analysis(
        len(matters), piles[""], piles[skills.DISMISSED], piles[skills.PROMOTED], found.unquotable
    )


def gather(store: OpenStore, days: int) -> list[Matter]:
    """The memories of the last days as detectors look at them, archived ones too."""
    since = _days_before(store.now, days)
    matters: list[Matter] = []
    for archived in (False, True):
        only = Filter(since=since, superseded=False, archived=archived)
        entries = store.index.entries(only)
        opened = {
            entry.path
            for kind in (_TELLING if entries else ())
            for entry in store.index.entries(only._replace(kind=kind))
            if entry.kind != kind
        }
        for entry in entries:
            if _counts(entry) and skills.time_of(entry)[:10] >= since:
                said = _said_in(store, entry) if entry.path in opened else ()
                matters.append(skills.matter_of(entry, said))
    return matters


def _counts(entry: Entry) -> bool:
    return not entry.private and "core/" not in entry.path


def _days_before(now: str, days: int) -> str:
    try:
        return (date.fromisoformat(now[:10]) - timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _said_in(store: OpenStore, entry: Entry) -> tuple[skills.Said, ...]:
    try:
        return skills.said_in(store.read(entry).text, entry)
    except RecollectError:
        return ()


def publish(store: OpenStore, found: Analysis) -> list[str]:
    """Write the report and the flags, where their bytes changed; gives their names."""
    generated = max((e.matter.created for s in found.suggestions for e in s.evidence), default="")
    pages = {
        PAGE: skills.candidates_page(found.suggestions, store.settings.lang),
        FLAGS: skills.candidates_json(found.suggestions, generated),
    }
    with store.files.locked():
        return [name for name, text in pages.items() if store.files.write_view(name, text)]


# ------------------------------------------------------------------------------------- deciding


def settled(store: OpenStore) -> list[Settled]:
    """What a person has decided about suggestions."""
    return skills.settled_in(_read(store)[0])


def settle(store: OpenStore, one: Suggestion, decision: str) -> None:
    """Keep what a person has decided about a suggestion."""
    made = skills.settled_of(one, decision, store.now)
    _change(store, lambda text: skills.with_settled(text, made), cause=_CAUSES[decision])


def suggest_again(store: OpenStore, name: str) -> None:
    """Forget what was decided about the suggestion of this name.

    Raises:
        SuggestionNotFound: nothing was.
    """
    if all(one.name != name for one in settled(store)):
        raise SuggestionNotFound(name=name)
    _change(store, lambda text: skills.without_settled(text, name), cause="dismiss-skill")


_CAUSES = {skills.DISMISSED: "dismiss-skill", skills.PROMOTED: "promote-skill"}


def _read(store: OpenStore) -> tuple[str, str | None]:
    """`(text, stamp)` of the file with the decisions."""
    if not store.files.exists(FILE):
        return "", None
    document = store.files.read(FILE)
    return document.text, document.stamp


def _change(store: OpenStore, change: Callable[[str], str], *, cause: str) -> None:
    def plan() -> list[Change]:
        old, stamp = _read(store)
        new = change(old)
        return [] if new == old else [Change("put", FILE, "", stamp, new)]

    store.commit(plan, cause=cause, tries=3)
