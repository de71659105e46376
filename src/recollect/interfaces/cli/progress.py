"""A progress bar for long work, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from recollect.interfaces.cli.context import Door
from recollect.interfaces.cli.parsing import option


class Progress:
    """A progress bar on stderr; nothing where stderr is no terminal or the answer is JSON."""

    def __init__(self, door: Door, what: str) -> None:
        """`what` is being done."""
        self._what = door.say(what)
        self._wanted = sys.stderr.isatty() and not door.as_json
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        """Nothing is shown before the first step."""
        return self

    def step(self, done: int, total: int = 0) -> None:
        """Show that `done` of `total` are done."""
        if not self._wanted:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn(self._what),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=total or None)
        self._bar.update(self._task, completed=done, total=total or None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


# -------------------- Command line: proposals about two memories, which a person may dismiss.


_OPTIONS = (
    option("--again", is_flag=True, help="Suggest them again."),
    option("--dismiss", is_flag=True, help="Do not suggest these two again."),
)


def dismissible(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options with which a proposal is dismissed, and made again."""
    for add in _OPTIONS:
        function = add(function)
    return function


def decide(
    door: Door,
    dismiss: Callable[..., bool],
    pair: tuple[str | None, str | None],
    *,
    again: bool,
    dry_run: bool,
) -> None:
    """Dismiss the proposal about two memories with `dismiss`, or allow it again, and say so.

    Raises:
        UsageProblem: they are not both named.
    """
    name, other = pair
    if not (name and other):
        raise door.refusal("Name two memories.")
    is_new = dismiss(door.app, name, other, again=again, dry_run=dry_run)

    def show() -> None:
        if again:
            door.tell("{id} and {other} may be suggested again.", id=name, other=other)
        else:
            door.tell("{id} and {other} will not be suggested again.", id=name, other=other)
        if dry_run:
            door.tell("Nothing was changed (--dry-run).", style="dim")
        elif is_new:
            door.tell("  `recollect undo` reverts it.", style="dim")

    found = {"id": name, "other": other, "dismissed": not again, "changed": is_new}
    door.answer(found, show)
