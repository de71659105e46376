"""Suggest skills from memories, and draft or dismiss one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect._gc import without_collecting
from recollect.context import pointers as client
from recollect.errors import RecollectError, SuggestionNotFound, UsageProblem
from recollect.features import skill_detectors, skills
from recollect.features import skills as domain
from recollect.features.skill_detectors import (
    FILE,
    DecidedSuggestion,
    Detector,
    DetectorRules,
    Group,
    SkillInput,
    Suggestion,
)
from recollect.features.skills import FLAGS, PAGE
from recollect.model.document import days_after
from recollect.model.memory import Entry, Filter
from recollect.store import locations as places
from recollect.store.store import OpenStore
from recollect.text.tokens import stems
from recollect.workspace import Workspace

_TELLING = ("decision", "issue", "solution")  # kinds of sections that are worth opening a file


class Analysis(NamedTuple):
    """What a store's memories suggest now."""

    looked_at: int
    suggestions: list[Suggestion]
    dismissed: list[Suggestion]
    promoted: list[Suggestion]
    unquotable: int


def analyse(
    store: OpenStore, detectors: Mapping[str, Detector], rules: DetectorRules, *, days: int
) -> Analysis:
    """What repeats itself in the memories of the last days."""
    matters = gather(store, days)
    found = skills.suggest(matters, detectors, rules)
    decided = settled(store)
    piles: dict[str, list[Suggestion]] = {
        "": [],
        skill_detectors.DISMISSED: [],
        skill_detectors.PROMOTED: [],
    }
    for one in found.suggestions:
        decision = next((s.decision for s in reversed(decided) if s.is_about(one)), "")
        piles.get(decision, piles[""]).append(one)
    return Analysis(
        len(matters),
        piles[""],
        piles[skill_detectors.DISMISSED],
        piles[skill_detectors.PROMOTED],
        found.unquotable,
    )


def gather(store: OpenStore, days: int) -> list[SkillInput]:
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
            if _counts(entry) and skill_detectors.time_of(entry)[:10] >= since:
                said = _statements_in(store, entry) if entry.path in opened else ()
                matters.append(skill_detectors.skill_input_of(entry, said))
    return matters


def _counts(entry: Entry) -> bool:
    return not entry.private and "core/" not in entry.path


def _statements_in(store: OpenStore, entry: Entry) -> tuple[skill_detectors.SkillStatement, ...]:
    try:
        return skill_detectors.statements_in(store.read(entry).text, entry)
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
        written = [name for name, text in pages.items() if store.files.write_view(name, text)]
        if written:
            store.files.settle(written)
        return written


# ------------------------------------------------------------------------------------- deciding


def settled(store: OpenStore) -> list[DecidedSuggestion]:
    """What a person has decided about suggestions."""
    return skill_detectors.settled_in(store.text_at(FILE)[0])


def settle(store: OpenStore, one: Suggestion, decision: str) -> None:
    """Keep what a person has decided about a suggestion."""
    made = skill_detectors.settled_of(one, decision, store.now)
    store.rewrite(
        FILE, lambda text: skill_detectors.with_settled(text, made), cause=_CAUSES[decision]
    )


def suggest_again(store: OpenStore, name: str) -> None:
    """Forget what was decided about the suggestion of this name. Raises SuggestionNotFound."""
    if all(one.name != name for one in settled(store)):
        raise SuggestionNotFound(name=name)
    store.rewrite(
        FILE, lambda text: skill_detectors.without_settled(text, name), cause="dismiss-skill"
    )


_CAUSES = {skill_detectors.DISMISSED: "dismiss-skill", skill_detectors.PROMOTED: "promote-skill"}


def steps_for(store: OpenStore, one: Suggestion) -> tuple[str, ...]:
    """The steps that a model drafted for a suggestion; none where it was not asked."""
    return skill_detectors.steps_in(store.text_at(FILE)[0], one)


def keep_steps(store: OpenStore, one: Suggestion, steps: Sequence[str]) -> None:
    """Keep the steps that a model drafted for a suggestion, until a person promotes it."""
    store.rewrite(
        FILE,
        lambda text: skill_detectors.with_steps(text, one, steps, store.now),
        cause="consolidate",
    )


DETECTORS = "recollect.detectors"  # the group of entry points for detectors of other packages


class CandidateThresholds(NamedTuple):
    """How much has to repeat itself, and since when."""

    least: int = skill_detectors.LEAST
    days: int = skill_detectors.DAYS


class Analysed(NamedTuple):
    """What a store's memories suggest."""

    scope: str
    path: str  # of the report
    found: Analysis
    failed: list[tuple[str, str]]  # detectors of other packages, and why

    def as_json(self, shown: Sequence[Suggestion]) -> dict[str, Any]:
        """What `--json` shows."""
        found = self.found
        return {
            "scope": self.scope,
            "path": self.path,
            "memories": found.looked_at,
            "candidates": [domain.suggestion_json(one) for one in shown],
            "dismissed": [one.name for one in found.dismissed],
            "promoted": [one.name for one in found.promoted],
            "unquotable": found.unquotable,
            "flagged": domain.flags_of(shown),
            "failed": [{"detector": name, "why": why} for name, why in self.failed],
        }


class Decided(NamedTuple):
    """What became of a suggestion."""

    suggestion: Suggestion
    scope: str
    what: str  # promoted, dismissed, suggested
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
            "candidate": domain.suggestion_json(self.suggestion),
        }


def analyse_stores(
    app: Workspace, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> list[Analysed]:
    """What the memories of each store suggest; the reports are written."""
    rows = []
    for store in app.stores(scope):
        row = _analysed(store, asked)
        if not dry_run:
            publish(store, row.found)
        rows.append(row)
    return rows


def suggestions_of(store: OpenStore) -> list[Suggestion]:
    """What a store's memories suggest and nobody has decided about."""
    return _analysed(store, CandidateThresholds()).found.suggestions


def _analysed(store: OpenStore, asked: CandidateThresholds) -> Analysed:
    failed: list[tuple[str, str]] = []
    detectors = {**skill_detectors.DETECTORS, **_of_others(failed)}
    with without_collecting():
        found = analyse(store, detectors, DetectorRules(stems, asked.least), days=asked.days)
    return Analysed(store.scope, os.path.join(store.files.root, PAGE), found, failed)


def promote(
    app: Workspace, name: str, asked: CandidateThresholds, *, called: str, scope: str, dry_run: bool
) -> Decided:
    """Draft a skill for a person to finish. Raises SuggestionNotFound, SkillThere, UsageProblem."""
    store, found, one = _named(app, name, asked, scope)
    project = places.project_of_store(store.files.root)
    folder = (
        client.folder_of_project(project) if project else client.folder_beside(store.files.root)
    )
    wanted = called or client.nearest_name(name)
    if not client.is_allowed(wanted):
        what = f"“{wanted}” is not a valid skill name: use letters, digits and single hyphens."
        raise UsageProblem(what=what, command="promote-skill")
    path = client.require_free(folder, wanted)
    steps = steps_for(store, one)
    text = app.redact(domain.draft_of(one, wanted, store.settings.lang, app.now, steps))
    if not dry_run:
        client.put(folder, wanted, text)
        settle(store, one, skill_detectors.PROMOTED)
        _publish_without(store, found, one)
    return Decided(one, store.scope, "promoted", wanted, path, text)


def dismiss(
    app: Workspace, name: str, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> Decided:
    """End a suggestion, so that it does not come back. Raises SuggestionNotFound."""
    store, found, one = _named(app, name, asked, scope)
    if not dry_run:
        settle(store, one, skill_detectors.DISMISSED)
        _publish_without(store, found, one)
    return Decided(one, store.scope, "dismissed", name)


def suggest_dismissed_again(
    app: Workspace, name: str, asked: CandidateThresholds, *, scope: str, dry_run: bool
) -> str:
    """Take back what was decided about a suggestion; gives the scope of its store.

    Raises SuggestionNotFound.
    """
    for store in app.stores(scope):
        if any(one.name == name for one in settled(store)):
            if not dry_run:
                suggest_again(store, name)
                publish(store, _analysed(store, asked).found)
            return store.scope
    raise SuggestionNotFound(name=name)


def _named(
    app: Workspace, name: str, asked: CandidateThresholds, scope: str
) -> tuple[OpenStore, Analysis, Suggestion]:
    for store in app.stores(scope):
        row = _analysed(store, asked)
        here = [*row.found.suggestions, *row.found.dismissed, *row.found.promoted]
        for one in here:
            if one.name == name:
                return store, row.found, one
    raise SuggestionNotFound(name=name)


def _publish_without(store: OpenStore, found: Analysis, one: Suggestion) -> None:
    left = [other for other in found.suggestions if other != one]
    publish(store, found._replace(suggestions=left))


# --------------------------------------------------------------------------- detectors of others


def _of_others(failed: list[tuple[str, str]]) -> dict[str, Detector]:
    """The detectors that other packages bring, each so that it cannot stop the rest."""
    from importlib.metadata import entry_points

    return {
        point.name: _guarded(point.name, point.load, failed)
        for point in sorted(entry_points(group=DETECTORS), key=lambda point: point.name)
        if point.name not in skill_detectors.DETECTORS
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
