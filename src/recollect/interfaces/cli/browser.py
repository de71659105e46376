"""`recollect browse`: a list of entries, the chosen one below it, and keys to change it.

Changes go through the features that the commands use, so that each can be undone. Textual draws.
Needs the extra `browse`.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text  # noqa: TID253 - a command that shows a view of its own
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import DataTable, Footer, Input, Static

from recollect.errors import RecollectError
from recollect.features import lifecycle, memories, reading, review, undo
from recollect.features.reading import ListedEntry
from recollect.i18n import filled, translate, word
from recollect.interfaces.cli.console import (
    cut_statement,
    shown,
    shown_block,
    shown_title,
    width_of,
)
from recollect.interfaces.cli.read import provenance, shown_state, text_of
from recollect.model.memory import Filter
from recollect.workspace import Workspace

MOST = 500  # rows
NARROWEST = 20  # columns of a text
DONE = {
    "changed": "Changed",
    "unchanged": "Unchanged",
    "removed": "Forgot",
    "approved": "Approved",
    "archived": "Archived",
    "activated": "Brought back",
}
Editor = Callable[[bytes, bool], bytes | None]


class Browser(App[None]):
    """The entries of a folder's stores: filter, read, edit, approve, archive, forget, undo."""

    CSS = """
    #list { height: 50%; }
    #text { height: 50%; padding: 0 1; border-top: solid $primary; }
    #words { dock: top; height: 3; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, workspace: Workspace, editor: Editor) -> None:
        """`editor` lets a person change a text, as `recollect edit` does."""
        super().__init__()
        self.workspace, self.editor = workspace, editor
        self.rows: list[ListedEntry] = []
        self.words = self.to_forget = self.changed = ""
        self.in_archive, self.width = False, 0
        bind = self._bindings.bind
        bind("q", "quit", self.say("Quit"))  # first: a narrow terminal does not show the last ones
        bind("slash", "filter", self.say("Filter"))
        bind("e", "edit", self.say("Edit"))
        bind("y", "approve", self.say("Approve"))
        bind("a", "archive", self.say("Archive"))
        bind("D", "forget", self.say("Forget"))
        bind("u", "undo", self.say("Undo"))
        bind("v", "switch", self.say("Archived"))
        self._bindings.bind("escape", "clear", show=False)

    def say(self, sentence: str) -> str:
        """A sentence of ours in the person's language."""
        return word(self.workspace.lang, sentence)

    def compose(self) -> ComposeResult:
        """The filter, the list, the text of the chosen entry."""
        yield Input(placeholder=self.say("Filter: words, as for search"), id="words")
        yield DataTable[Text](id="list", cursor_type="row", zebra_stripes=True)
        with VerticalScroll(id="text"):
            yield Static(id="page")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the newest entries; the list has the keyboard."""
        self.title, self.width = "Recollect", self.size.width
        self.fill()
        self.query_one("#list", DataTable).focus()

    def on_resize(self, event: Resize) -> None:
        """Cut the texts for the new width."""
        self.width = event.size.width
        self.fill(self.chosen)

    def fill(self, chosen: ListedEntry | None = None) -> None:
        """Read the list, and go to the entry `chosen`, or to where it stood if it is gone."""
        table = self.query_one("#list", DataTable)
        place = table.cursor_row if chosen else 0
        self.rows = self._matching() if self.words.strip() else self._all()[:MOST]
        stores = self.workspace.stores("")
        lines = [self._line(one, reading.short_name(stores, one)) for one in self.rows]
        heads = ("kind", "date", "state", "id", "trust", "text")
        names = [word(self.workspace.lang, head) for head in heads]
        widths = [max(map(width_of, column)) for column in zip(names, *lines, strict=True)]
        columns = list(range(len(heads)))
        for spare in ("trust", "state", "date"):
            if self._room(widths, columns) < NARROWEST:
                columns.remove(heads.index(spare))
        widths[-1] = max(self._room(widths, columns), NARROWEST)
        table.clear(columns=True)
        for n in columns:
            table.add_column(names[n], width=widths[n])
        for one, line in zip(self.rows, lines, strict=True):
            line[-1] = cut_statement(line[-1], widths[-1])
            table.add_row(*(Text(line[n], _style(one)) for n in columns))
        places = [(one.page.scope, one.name) for one in self.rows]
        if chosen and (chosen.page.scope, chosen.name) in places:
            place = places.index((chosen.page.scope, chosen.name))
        table.move_cursor(row=min(place, max(len(self.rows) - 1, 0)))
        self.show()

    def _room(self, widths: list[int], columns: list[int]) -> int:
        """How wide the text can be beside these columns, with the table's own margins."""
        return self.width - sum(widths[n] for n in columns[:-1]) - 2 * len(columns) - 2

    def _line(self, one: ListedEntry, name: str) -> list[str]:
        own = one.own
        state = "archived" if one.page.entry.archived else own.status
        lang = self.workspace.lang
        kind, trust = (word(lang, text) for text in (own.kind, own.trust))
        state = shown_state(lang, state)
        text = shown(shown_title(lang, one.summary))
        return [kind, (own.created or "–")[:10], state, shown(name), trust, text]

    def _all(self) -> list[ListedEntry]:
        """What `recollect list` lists; a session is one row, with all that was said in it."""
        only = Filter(archived=self.in_archive)
        found = reading.listed(self.workspace, only, scope="")
        return [one for one in found if not one.is_of_session]

    def _matching(self) -> list[ListedEntry]:
        """The entries that a search for the words finds, best first."""
        only = Filter(archived=self.in_archive)
        hits = reading.search(self.workspace, self.words, only, limit=MOST, scope="", sections=True)
        listed = {(one.page.scope, one.page.entry.id, one.own.anchor): one for one in self._all()}
        places = [(one.scope, one.id, one.anchor) for one in (hit.candidate for hit in hits)]
        # What is no row of its own is a part of one: of a session, or a page that is one entry.
        rows = [listed.get(place) or listed.get((*place[:2], "")) for place in places]
        return list(dict.fromkeys(row for row in rows if row))

    @property
    def chosen(self) -> ListedEntry | None:
        """The entry under the cursor."""
        at = self.query_one("#list", DataTable).cursor_row
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def show(self) -> None:
        """Show the text of the chosen entry."""
        page, lang = self.query_one("#page", Static), self.workspace.lang
        if not self.chosen:
            text = self.say(
                "The archive is empty." if self.in_archive else "There are no memories yet."
            )
            page.update(Text(self.say("No entry has these words.") if self.words else text))
            return
        try:
            found = reading.show(self.workspace, self.chosen.name, 2)
            text = text_of(lang, found)
        except RecollectError as error:
            page.update(Text(shown(translate(lang, str(error))), "red"))
            return
        head = Text(f"{shown(shown_title(lang, found.title))}\n", "bold")
        about = (self.chosen.name, *provenance(lang, found))
        head.append(f"{shown(' · '.join(about))}\n\n", "dim")
        page.update(head.append(shown_block(text), ""))

    def on_data_table_row_highlighted(self) -> None:
        """Another row is chosen."""
        self.show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as the person types."""
        self.words = event.value
        self.fill()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one("#list", DataTable).focus()

    def action_filter(self) -> None:
        """Type words."""
        self.query_one("#words", Input).focus()

    def action_clear(self) -> None:
        """Show everything again."""
        self.query_one("#words", Input).value = ""
        self.query_one("#list", DataTable).focus()

    def action_switch(self) -> None:
        """List the archive, or what is active again."""
        self.in_archive = not self.in_archive
        self.fill()

    def action_edit(self) -> None:
        """Open the page of the chosen entry in the person's editor, as `recollect edit` does."""

        def edit(name: str) -> str:
            return memories.edit_by_hand(self.workspace, name, self._edited, dry_run=False).what

        self._change(edit)

    def _edited(self, data: bytes, is_secret: bool) -> bytes | None:
        """What the editor makes of a text."""
        new = failed = None
        with self.suspend():  # an error that left it would leave the terminal as it is
            try:
                new = self.editor(data, is_secret)
            except RecollectError as error:
                failed = error
        if failed:
            raise failed
        return new

    def action_approve(self) -> None:
        """Trust the chosen entry like the person's own words."""

        def approve(name: str) -> str:
            review.decide_reviews(self.workspace, [name], approve=True, dry_run=False)
            return "approved"

        self._change(approve)

    def action_archive(self) -> None:
        """Move the chosen entry to the archive, or in the archive bring it back."""

        def archive(name: str) -> str:
            if self.in_archive:
                lifecycle.activate(self.workspace, name, dry_run=False)
                return "activated"
            lifecycle.archive_memory(self.workspace, name, dry_run=False)
            return "archived"

        self._change(archive)

    def action_forget(self) -> None:
        """Remove the chosen entry when the key is pressed twice; undo brings it back."""
        if not self.chosen:
            return
        name = self.chosen.name
        if name != self.to_forget:
            self.to_forget = name
            others = [one for one in self._all() if one.page.entry.id == name]
            asked = self.say("Press D again to forget {name}.")
            if len(others) > 1:
                asked = self.say("Press D again to forget {name}, a page with {n} entries.")
            self.notify(filled(asked, name=shown(name), n=len(others)), markup=False)
            return
        self.to_forget = ""
        forget, workspace = memories.forget_memory, self.workspace
        self._change(lambda name: forget(workspace, name, purge=False, dry_run=False).what)

    def action_undo(self) -> None:
        """Undo the last change of the store that was changed last."""

        def take_back() -> str:
            change = undo.undo(self.workspace, "", scope=self.changed, dry_run=False)
            about = shown(", ".join(change.memories or change.paths))
            said = self.say("Undid {cause} of {about}")
            return said.format(cause=change.cause, about=about)

        self._report(take_back)
        self.fill(self.chosen)

    def _change(self, change: Callable[[str], str]) -> None:
        """Change the chosen entry and report what was done."""
        if chosen := self.chosen:
            title = shown(shown_title(self.workspace.lang, chosen.summary))
            said = self.say("{done}: {title}")

            def act() -> str:
                what = change(chosen.name)
                done = self.say(DONE[what]) if what in DONE else what
                self.changed = chosen.page.scope
                return said.format(done=done, title=title)

            self._report(act)
            self.fill(chosen)

    def _report(self, act: Callable[[], str]) -> None:
        """Do something, and say what was done or why not."""
        try:
            self.notify(act(), markup=False)
        except RecollectError as error:
            text = translate(self.workspace.lang, str(error))
            self.notify(text, severity="error", markup=False)


def _style(one: ListedEntry) -> str:
    """Dim what no longer holds; italic what the person has not said or approved."""
    is_past = one.own.status == "superseded" or one.page.entry.archived
    return "dim" if is_past else "" if one.own.trust == "user" else "italic"


# Keys of Textual that a person would not expect here.
Browser.BINDINGS = [one for one in App.BINDINGS if isinstance(one, Binding) and one.key != "ctrl+q"]
