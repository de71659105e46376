"""App: which skills the memories suggest, and drafting or dismissing one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from recollect.adapters.clients.claude import skills as client
from recollect.adapters.sqlite.stemming import stems
from recollect.app.wiring import App
from recollect.collecting import without_collecting
from recollect.domain import skills as domain
from recollect.domain.skills import Detector, Group, Matter, Rules, Suggestion
from recollect.domain.skills.report import PAGE
from recollect.errors import SuggestionNotFound, UsageProblem
from recollect.named import NamedTuple
from recollect.services import skills as service
from recollect.services.opened import OpenStore
from recollect.services.skills import Analysis

DETECTORS = "recollect.detectors"  # the group of entry points for detectors of other packages


class Asked(NamedTuple):
    """How much has to repeat itself, and since when."""

    least: int = domain.LEAST
    days: int = domain.DAYS


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


def analyse(app: App, asked: Asked, *, scope: str, dry_run: bool) -> list[Analysed]:
    """What the memories of each store suggest; the reports are written."""
    rows = []
    for store in app.stores(scope):
        row = _analysed(store, asked)
        if not dry_run:
            service.publish(store, row.found)
        rows.append(row)
    return rows


def shown(app: App, row: Analysed, *, scope: str) -> list[Suggestion]:
    """The suggestions of a store that concern this project, or all if the store is asked for."""
    return [s for s in row.found.suggestions if app.shows(s.project, scope)]


def _analysed(store: OpenStore, asked: Asked) -> Analysed:
    failed: list[tuple[str, str]] = []
    detectors = {**domain.DETECTORS, **_of_others(failed)}
    with without_collecting():
        found = service.analyse(store, detectors, Rules(stems, asked.least), days=asked.days)
    return Analysed(store.scope, os.path.join(store.files.root, PAGE), found, failed)


def promote(
    app: App, name: str, asked: Asked, *, called: str, scope: str, dry_run: bool
) -> Decided:
    """Draft a skill for a person to finish.

    Raises:
        SuggestionNotFound: the memories suggest none of this name.
        SkillThere: there is one already.
        UsageProblem: no skill can be called so.
    """
    store, found, one = _named(app, name, asked, scope)
    is_ours = store.scope == "project" or not one.project
    folder = (
        client.folder_beside(store.files.root) if is_ours else client.folder_of_project(one.project)
    )
    wanted = called or client.nearest_name(name)
    if not client.is_allowed(wanted):
        what = (
            f"No skill can be called “{wanted}”: its name has letters, digits and single hyphens."
        )
        raise UsageProblem(what=what, command="promote-skill")
    path = client.require_free(folder, wanted)
    text = app.redact(domain.draft_of(one, wanted, store.settings.lang, app.now))
    if not dry_run:
        client.put(folder, wanted, text)
        service.settle(store, one, domain.PROMOTED)
        _publish_without(store, found, one)
    return Decided(one, store.scope, "promoted", wanted, path, text)


def dismiss(app: App, name: str, asked: Asked, *, scope: str, dry_run: bool) -> Decided:
    """End a suggestion, so that it does not come back. Raises SuggestionNotFound."""
    store, found, one = _named(app, name, asked, scope)
    if not dry_run:
        service.settle(store, one, domain.DISMISSED)
        _publish_without(store, found, one)
    return Decided(one, store.scope, "dismissed", name)


def suggest_again(app: App, name: str, asked: Asked, *, scope: str, dry_run: bool) -> str:
    """Take back what was decided about a suggestion; gives the scope of its store.

    Raises:
        SuggestionNotFound: nothing was decided about one of this name.
    """
    for store in app.stores(scope):
        if any(one.name == name for one in service.settled(store)):
            if not dry_run:
                service.suggest_again(store, name)
                service.publish(store, _analysed(store, asked).found)
            return store.scope
    raise SuggestionNotFound(name=name)


def _named(app: App, name: str, asked: Asked, scope: str) -> tuple[OpenStore, Analysis, Suggestion]:
    for store in app.stores(scope):
        row = _analysed(store, asked)
        here = [*shown(app, row, scope=scope), *row.found.dismissed, *row.found.promoted]
        for one in here:
            if one.name == name:
                return store, row.found, one
    raise SuggestionNotFound(name=name)


def _publish_without(store: OpenStore, found: Analysis, one: Suggestion) -> None:
    left = [other for other in found.suggestions if other != one]
    service.publish(store, found._replace(suggestions=left))


# --------------------------------------------------------------------------- detectors of others


def _of_others(failed: list[tuple[str, str]]) -> dict[str, Detector]:
    """The detectors that other packages bring, each so that it cannot stop the rest."""
    from importlib.metadata import entry_points

    return {
        point.name: _guarded(point.name, point.load, failed)
        for point in sorted(entry_points(group=DETECTORS), key=lambda point: point.name)
        if point.name not in domain.DETECTORS
    }


def _guarded(name: str, load: Any, failed: list[tuple[str, str]]) -> Detector:
    """A detector whose faults are noted instead of raised."""

    def detect(matters: Sequence[Matter], rules: Rules) -> list[Group]:
        try:
            groups = [Group(*group) for group in load().detect(matters, rules)]
            return [group for group in groups if group.evidence]
        except Exception as error:  # noqa: BLE001 - a stranger's code may do anything
            row = (name, f"{type(error).__name__}: {error}")
            if row not in failed:
                failed.append(row)
            return []

    return detect
