"""`recollect browse`: a list of memories, the chosen one beside it, and keys to change it.

Changes go through the features that the commands use, so that each can be undone. Textual draws.
Needs the extra `browse`.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text  # noqa: TID253 - a command that shows a view of its own
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import DataTable, Footer, Input, Static

from recollect.errors import RecollectError
from recollect.features import lifecycle, memories, reading, review, undo
from recollect.features.reading import ListRow
from recollect.i18n import translate, word
from recollect.interfaces.cli.console import shown
from recollect.interfaces.cli.labels import shown_page, shown_title
from recollect.model.memory import Filter
from recollect.model.page_form import on_disk
from recollect.workspace import Workspace

MOST = 500  # rows
DONE = {"changed": "Changed", "removed": "Forgot", "approved": "Approved", "archived": "Archived"}
Editor = Callable[[bytes, bool], bytes | None]


class Browser(App[None]):
    """The memories of a folder's stores: filter, read, edit, approve, archive, forget, undo."""

    CSS = """
    #list { width: 50%; }
    #text { width: 50%; padding: 0 1; border-left: solid $primary; }
    #words { dock: top; height: 3; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, workspace: Workspace, editor: Editor) -> None:
        """`editor` lets a person change a text, as `recollect edit` does."""
        super().__init__()
        self.workspace, self.editor = workspace, editor
        self.rows: list[ListRow] = []
        self.words = self.to_forget = ""
        bind = self._bindings.bind
        bind("slash", "filter", self.say("Filter"))
        bind("e", "edit", self.say("Edit"))
        bind("y", "approve", self.say("Approve"))
        bind("a", "archive", self.say("Archive"))
        bind("D", "forget", self.say("Forget"))
        bind("u", "undo", self.say("Undo"))
        bind("q", "quit", self.say("Quit"))
        self._bindings.bind("escape", "clear", show=False)

    def say(self, sentence: str) -> str:
        """A sentence of ours in the person's language."""
        return word(self.workspace.lang, sentence)

    def compose(self) -> ComposeResult:
        """The filter above, the list on the left, the text on the right."""
        yield Input(placeholder=self.say("Filter: words, as for search"), id="words")
        with Horizontal():
            yield DataTable[str](id="list", cursor_type="row", zebra_stripes=True)
            with VerticalScroll(id="text"):
                yield Static(id="page")
        yield Footer()

    def on_mount(self) -> None:
        """Show the newest memories; the list has the keyboard."""
        self.title = "Recollect"
        table = self.query_one("#list", DataTable)
        table.add_columns(self.say("kind"), self.say("date"), self.say("title"))
        self.fill()
        table.focus()

    def fill(self, chosen: str = "") -> None:
        """Read the list, and go to the memory `chosen` if it is still there."""
        if self.words.strip():
            found = reading.search(
                self.workspace, self.words, Filter(), limit=MOST, scope="", sections=False
            )
            ids = list(dict.fromkeys(hit.candidate.id for hit in found))
            listed = {one.entry.id: one for one in self._all()}
            self.rows = [listed[name] for name in ids if name in listed]
        else:
            self.rows = self._all()[:MOST]
        table = self.query_one("#list", DataTable)
        table.clear()
        for one in self.rows:
            entry = one.entry
            style = "" if entry.trust == "user" else "italic"
            style = "dim" if entry.status == "superseded" else style
            cells = (entry.kind, entry.created[:10], shown(entry.title))
            table.add_row(*(Text(cell, style) for cell in cells), key=f"{one.scope}:{entry.id}")
        at = next((n for n, one in enumerate(self.rows) if one.entry.id == chosen), 0)
        table.move_cursor(row=at)
        self.show()

    def _all(self) -> list[ListRow]:
        return reading.entries(self.workspace, Filter(), scope="")

    @property
    def chosen(self) -> ListRow | None:
        """The memory under the cursor."""
        at = self.query_one("#list", DataTable).cursor_row
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def show(self) -> None:
        """Show the text of the chosen memory."""
        page = self.query_one("#page", Static)
        if not self.chosen:
            page.update(Text(self.say("No memory has these words.")))
            return
        entry = self.chosen.entry
        try:
            text = on_disk(reading.show(self.workspace, entry.id, 2).text)
            text = shown_page(self.workspace.lang, text.removeprefix(f"# {entry.title}\n").lstrip())
        except RecollectError as error:
            page.update(Text(shown(translate(self.workspace.lang, str(error))), "red"))
            return
        title = shown_title(self.workspace.lang, entry.title)
        head = Text(f"{shown(title)}\n", "bold")
        source = word(self.workspace.lang, entry.source)
        about = (entry.id, entry.kind, entry.created[:10], source, entry.status)
        head.append(f"{' · '.join(about)}\n\n", "dim")
        page.update(head.append("\n".join(map(shown, text.splitlines())), ""))

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

    def action_edit(self) -> None:
        """Open the chosen memory in the person's editor."""

        def edit(name: str) -> str:
            with self.suspend():
                return memories.edit_by_hand(self.workspace, name, self.editor, dry_run=False).what

        self._change(edit)

    def action_approve(self) -> None:
        """Trust the chosen memory like the person's own words."""

        def approve(name: str) -> str:
            review.decide_reviews(self.workspace, [name], approve=True, dry_run=False)
            return "approved"

        self._change(approve)

    def action_archive(self) -> None:
        """Move the chosen memory to the archive; undo brings it back."""

        def archive(name: str) -> str:
            lifecycle.archive_memory(self.workspace, name, dry_run=False)
            return "archived"

        self._change(archive)

    def action_forget(self) -> None:
        """Remove the chosen memory when the key is pressed twice; undo brings it back."""
        name = self.chosen.entry.id if self.chosen else ""
        if name != self.to_forget:
            self.to_forget = name
            self.notify(self.say("Press D again to forget {name}.").format(name=shown(name)))
            return
        self.to_forget = ""
        forget, workspace = memories.forget_memory, self.workspace
        self._change(lambda name: forget(workspace, name, purge=False, dry_run=False).what)

    def action_undo(self) -> None:
        """Undo the last change."""
        self._report(lambda: undo.undo(self.workspace, "", scope="", dry_run=False).cause)
        self.fill(self.chosen.entry.id if self.chosen else "")

    def _change(self, change: Callable[[str], str]) -> None:
        """Change the chosen memory and report what was done."""
        if chosen := self.chosen:
            title = shown(shown_title(self.workspace.lang, chosen.entry.title))
            said = self.say("{done}: {title}")
            self._report(lambda: said.format(done=self._done(change(chosen.entry.id)), title=title))
            self.fill(chosen.entry.id)

    def _done(self, what: str) -> str:
        return self.say(DONE[what]) if what in DONE else what

    def _report(self, act: Callable[[], str]) -> None:
        """Do something, and say what was done or why not."""
        try:
            self.notify(act())
        except RecollectError as error:
            self.notify(translate(self.workspace.lang, str(error)), severity="error")


# Keys of Textual that a person would not expect here.
Browser.BINDINGS = [one for one in App.BINDINGS if isinstance(one, Binding) and one.key != "ctrl+q"]
