"""Suggest skills from what the memories of a store repeat, and draft or dismiss one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect._gc import without_collecting
from recollect.context import pointers
from recollect.errors import RecollectError, SuggestionNotFound, UsageProblem
from recollect.features import skill_detectors, skills
from recollect.features.skill_detectors import (
    DAYS,
    DETECTORS,
    LEAST,
    Detector,
    DetectorRules,
    Group,
    SkillInput,
    Suggestion,
)
from recollect.features.skills import FLAGS, PAGE
from recollect.model.memory import Entry, Filter
from recollect.model.times import days_after
from recollect.store import disk, locations
from recollect.store.store import OpenStore
from recollect.text.json_edit import rows_in, with_rows
from recollect.text.tokens import stems
from recollect.workspace import Workspace

GROUP = "recollect.detectors"  # of entry points, for detectors of other packages
_TELLING = ("decision", "issue", "solution")  # kinds of sections that are worth opening a file
DISMISSED, PROMOTED = "dismissed", "promoted"
_CAUSES = {DISMISSED: "dismiss-skill", PROMOTED: "promote-skill"}


class CandidateThresholds(NamedTuple):
    """How much has to repeat itself, and since when."""

    least: int = LEAST
    days: int = DAYS


class Analysis(NamedTuple):
    """What a store's memories suggest now."""

    scope: str
    path: str  # of the report; empty if there is none and nothing to report
    looked_at: int
    suggestions: list[Suggestion]  # that nobody has decided about
    dismissed: list[Suggestion]
    promoted: list[Suggestion]
    unquotable: int
    failed: list[tuple[str, str]]  # detectors of other packages, and why

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "scope": self.scope,
            "path": self.path,
            "memories": self.looked_at,
            "candidates": [skills.suggestion_json(one) for one in self.suggestions],
            "dismissed": [one.name for one in self.dismissed],
            "promoted": [one.name for one in self.promoted],
            "unquotable": self.unquotable,
            "flagged": skills.flags_of(self.suggestions),
            "failed": [{"detector": name, "why": why} for name, why in self.failed],
        }


def analyse_stores(
    app: Workspace, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> list[Analysis]:
    """What the memories of each store suggest; the reports are written."""
    rows = []
    for store in app.stores(scope):
        rows.append(_analyse(store, asked))
        if rows[-1].path and not dry_run:
            _publish(store, rows[-1].suggestions)
    return rows


def _analyse(store: OpenStore, asked: CandidateThresholds) -> Analysis:
    failed: list[tuple[str, str]] = []
    detectors = {**DETECTORS, **_of_others(failed)}
    with without_collecting():
        matters = _gather(store, asked.days)
        rules = DetectorRules(stems, asked.least)
        suggestions, unquotable = skills.suggest(matters, detectors, rules)
    decided = _decided(store)
    piles: dict[str, list[Suggestion]] = {"": [], DISMISSED: [], PROMOTED: []}
    for one in suggestions:
        decision = next((s.decision for s in reversed(decided) if s.is_about(one)), "")
        piles.get(decision, piles[""]).append(one)
    return Analysis(
        store.scope,
        os.path.join(store.root, PAGE) if piles[""] or store.files.exists(PAGE) else "",
        len(matters),
        piles[""],
        piles[DISMISSED],
        piles[PROMOTED],
        unquotable,
        failed,
    )


def _gather(store: OpenStore, days: int) -> list[SkillInput]:
    """The memories of the last days as detectors look at them, archived ones too."""
    since = days_after(store.now, -days)
    matters: list[SkillInput] = []
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
            is_counted = not entry.private and "core/" not in entry.path
            if is_counted and skill_detectors.time_of(entry)[:10] >= since:
                said = _statements_in(store, entry) if entry.path in opened else ()
                matters.append(skill_detectors.skill_input_of(entry, said))
    return matters


def _statements_in(store: OpenStore, entry: Entry) -> tuple[skill_detectors.SkillStatement, ...]:
    try:
        return skill_detectors.statements_in(store.read(entry).text, entry)
    except RecollectError:
        return ()


def _publish(store: OpenStore, suggestions: Sequence[Suggestion]) -> None:
    """Write the report and the flags, where their bytes changed."""
    generated = max((e.matter.created for s in suggestions for e in s.evidence), default="")
    pages = {
        PAGE: skills.candidates_page(suggestions, store.settings.lang),
        FLAGS: skills.candidates_json(suggestions, generated),
    }
    with store.files.locked():
        store.write_views(pages)


# ------------------------------------------------------------------------------------- deciding


class Decided(NamedTuple):
    """What became of a suggestion."""

    suggestion: Suggestion
    scope: str
    what: str  # promoted, dismissed
    name: str  # of the skill
    path: str = ""
    text: str = ""

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "name": self.name,
            "what": self.what,
            "scope": self.scope,
            "path": self.path,
            "candidate": skills.suggestion_json(self.suggestion),
        }


def promote(
    app: Workspace, name: str, asked: CandidateThresholds, *, called: str, scope: str, dry_run: bool
) -> Decided:
    """Draft a skill for a person to finish. Raises SuggestionNotFound, SkillThere, Unreadable, UsageProblem."""
    store, found, one = _named(app, name, asked, scope)
    folder, project = _skills_folder(store)
    wanted = called or pointers.nearest_name(name)
    if not pointers.is_allowed(wanted):
        what = f"“{wanted}” is not a valid skill name: use letters, digits and single hyphens."
        raise UsageProblem(what=what, command="promote-skill")
    path = pointers.require_free(folder, wanted)
    if project:
        pointers.require_inside(path, project)
    draft = skills.draft_of(one, wanted, store.settings.lang, app.now)
    text = app.redact(draft)
    if not dry_run:
        pointers.put(folder, wanted, text)
        _decide(
            store,
            found,
            one,
            PROMOTED,
            skill=wanted,
            draft=disk.stamp_of(text.encode("utf-8", "replace")),
        )
    return Decided(one, store.scope, "promoted", wanted, path, text)


def _skills_folder(store: OpenStore) -> tuple[str, str]:
    """The folder for the skills of a store, and the project that it is in, if any."""
    project = locations.project_of_store(store.root)  # a private store is elsewhere
    return f"{project}/.claude/skills" if project else pointers.folder_beside(store.root), project


def drop_drafts(
    store: OpenStore, old: str, new: str, *, dry_run: bool
) -> Iterator[tuple[str, str]]:
    """Remove the drafts of which the decisions `old` know and the decisions `new` do not.

    Gives what becomes of each, and its path: `created` if the draft is gone, as its creation is undone;
    `left` if somebody has changed it.
    """
    folder, project = _skills_folder(store)
    kept = {(one.skill, one.draft) for one in settled_in(new)}
    for one in settled_in(old):
        if not one.draft or (one.skill, one.draft) in kept or not pointers.is_allowed(one.skill):
            continue
        path = pointers.path_in(folder, one.skill)
        if not os.path.lexists(path) or (project and pointers.leads_out(path, project)):
            continue
        if (
            not os.path.isfile(path)
            or os.path.islink(path)
            or disk.stamp_of(disk.read_file(path)) != one.draft
        ):
            yield "left", path
            continue
        if not dry_run:
            disk.remove(path)
            disk.remove_empty_folder(os.path.dirname(path))
        yield "created", path


def dismiss(
    app: Workspace, name: str, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> Decided:
    """End a suggestion, so that it does not come back. Raises SuggestionNotFound."""
    store, found, one = _named(app, name, asked, scope)
    if not dry_run:
        _decide(store, found, one, DISMISSED)
    return Decided(one, store.scope, "dismissed", name)


def suggest_dismissed_again(
    app: Workspace, name: str, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> str:
    """Take back what was decided about a suggestion; gives the scope of its store.

    Raises SuggestionNotFound.
    """
    for store in app.stores(scope):
        if any(one.name == name for one in _decided(store)):
            if not dry_run:
                store.rewrite(
                    FILE,
                    lambda text: without_settled(text, name),
                    cause=_CAUSES[DISMISSED],
                )
                _publish(store, _analyse(store, asked).suggestions)
            return store.scope
    raise SuggestionNotFound(name=name)


def _named(
    app: Workspace, name: str, asked: CandidateThresholds, scope: str
) -> tuple[OpenStore, Analysis, Suggestion]:
    for store in app.stores(scope):
        found = _analyse(store, asked)
        for one in (*found.suggestions, *found.dismissed, *found.promoted):
            if one.name == name:
                return store, found, one
    raise SuggestionNotFound(name=name)


# -------------------------------------------------------------- skills.json: what a person decided


FILE = "skills.json"
KEY, VERSION = "settled", 1
OF_DRAFT = ("skill", "draft")  # fields of a row that a dismissal has not


class DecidedSuggestion(NamedTuple):
    """A suggestion that a person has decided about."""

    name: str
    type: str
    decision: str
    date: str
    title: str
    words: tuple[str, ...]
    memories: tuple[str, ...]
    skill: str = ""  # the name of the skill that was drafted, and the stamp of its text
    draft: str = ""

    def is_about(self, one: Suggestion) -> bool:
        """Whether this is the decision about that suggestion."""
        if self.type != one.type:
            return False
        both = len(set(self.memories) & set(one.memories))
        if self.name == one.name or 2 * both >= min(len(self.memories), len(one.memories)) > 0:
            return True
        words = len(set(self.words) & set(one.words))
        return 10 * words >= 6 * max(len(self.words), len(one.words)) > 0


def settled_of(one: Suggestion, decision: str, now: str) -> DecidedSuggestion:
    """The decision about a suggestion."""
    return DecidedSuggestion(
        one.name, one.type, decision, now[:10], one.title, one.words, tuple(one.memories)
    )


def settled_in(text: str) -> list[DecidedSuggestion]:
    """The decisions in a file; rows that are none are skipped."""
    return [one for row in rows_in(text, KEY) if (one := _decision_in(row))]


def _decision_in(row: Any) -> DecidedSuggestion | None:
    names = ("name", "type", "decision")
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in names):
        return None

    def many(key: str) -> tuple[str, ...]:
        found = row.get(key)
        return tuple(w for w in found if isinstance(w, str)) if isinstance(found, list) else ()

    return DecidedSuggestion(
        row["name"],
        row["type"],
        row["decision"],
        str(row.get("date", "")),
        str(row.get("title", "")),
        many("words"),
        many("memories"),
        str(row.get("skill", "")),
        str(row.get("draft", "")),
    )


def with_settled(text: str, one: DecidedSuggestion) -> str:
    """The file with one more decision, in place of an older one of this name and type."""
    row = {name: value for name, value in one._asdict().items() if value or name not in OF_DRAFT}
    rows = [*_other_rows(text, one.name, one.type), row]
    return with_rows(text, KEY, rows, VERSION)


def without_settled(text: str, name: str) -> str:
    """The file without the decisions about this name."""
    return with_rows(text, KEY, _other_rows(text, name, ""), VERSION)


def _other_rows(text: str, name: str, kind: str) -> list[Any]:
    return [
        row
        for row in rows_in(text, KEY)
        if not ((one := _decision_in(row)) and one.name == name and kind in ("", one.type))
    ]


def _decided(store: OpenStore) -> list[DecidedSuggestion]:
    """What a person has decided about suggestions."""
    return settled_in(store.text_at(FILE)[0])


def _decide(
    store: OpenStore,
    found: Analysis,
    one: Suggestion,
    decision: str,
    *,
    skill: str = "",
    draft: str = "",
) -> None:
    """Keep what a person has decided about a suggestion, and report the others."""
    made = settled_of(one, decision, store.now)._replace(skill=skill, draft=draft)
    store.rewrite(FILE, lambda text: with_settled(text, made), cause=_CAUSES[decision])
    _publish(store, [other for other in found.suggestions if other != one])


# --------------------------------------------------------------------------- detectors of others


def _of_others(failed: list[tuple[str, str]]) -> dict[str, Detector]:
    """The detectors that other packages bring, each so that it cannot stop the rest."""
    from importlib.metadata import entry_points

    return {
        point.name: _guarded(point.name, point.load, failed)
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
        if point.name not in DETECTORS
    }


def _guarded(name: str, load: Any, failed: list[tuple[str, str]]) -> Detector:
    """A detector whose faults are noted instead of raised."""

    def detect(matters: Sequence[SkillInput], rules: DetectorRules) -> list[Group]:
        try:
            groups = [Group(*group) for group in load().detect(matters, rules)]
            return [group for group in groups if group.evidence]
        except Exception as error:  # noqa: BLE001 - a stranger's code may do anything
            row = (name, f"{type(error).__name__}: {error}")
            if row not in failed:
                failed.append(row)
            return []

    return detect
