"""Plans over texts in memory, and the texts behind them: no store, nothing remembered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from recollect.consolidate import plan as service
from recollect.consolidate.actions import Action, CreateFile, PlanRules
from recollect.consolidate.claims import claims_in
from recollect.consolidate.edit import Change, new_file_text, with_actions
from recollect.consolidate.gather import Files
from recollect.consolidate.pages import EpisodeClaim, ParsedFile, episode_claim, reading_of
from recollect.model.memory import Memory


class Texts(dict[str, str]):
    """Files by path, parsed anew for each plan; as much of `Files` as a plan asks for."""

    def claims_of(self, episode: Memory) -> list[EpisodeClaim]:
        return list(map(episode_claim, claims_in(episode)))

    def readings(self) -> Iterator[ParsedFile]:
        return (reading_of(path, text) for path, text in self.items())


def plan(episodes: Iterable[Memory], files: dict[str, str], rules: PlanRules) -> tuple[Action, ...]:
    """What consolidation does with these episodes and files."""
    return service.plan(episodes, cast("Files", Texts(files)), rules)


def applied(files: dict[str, str], actions: Iterable[Action]) -> dict[str, str]:
    """The files after these actions; what waits, is proposed or is archived changes no file here."""
    result = dict(files)
    changes: dict[str, list[Change]] = {}
    for action in actions:
        if isinstance(action, CreateFile):
            result[action.path] = new_file_text(action)
        elif isinstance(action, Change):
            changes.setdefault(action.path, []).append(action)
    return result | {path: with_actions(result[path], *row) for path, row in changes.items()}
