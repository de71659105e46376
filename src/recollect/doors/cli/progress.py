"""Command line: a bar for long work, on a terminal only."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from recollect.doors.cli.door import Door


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
