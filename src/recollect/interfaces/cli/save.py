"""Command: save."""

from __future__ import annotations

from recollect.capture.intake import Advice
from recollect.features import memories as writing
from recollect.interfaces.cli.charts import text_at, text_given
from recollect.interfaces.cli.context import Door, command, complete_ids, words
from recollect.interfaces.cli.parsing import Choice, FilePath, argument, option
from recollect.model import memory as model

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any


WARNINGS = {
    "long-summary": "  the summary has more than 2,000 characters; a shorter one is read more often",
    "many-keywords": "  more than 8 keywords; fewer tell conversations apart better",
    "many-tags": "  more than 6 tags; three to six nouns serve best",
}


@command(
    "save",
    scope=True,
    dry_run=True,
    example='recollect save "Use PostgreSQL for events" --kind decision --tags postgres,events \\\n'
    '  --body "We need JSONB and LISTEN/NOTIFY."\n'
    'git log -1 --format=%B | recollect save "Why the queue was dropped" -\n'
    'recollect save "The pool holds 10 links" --into redis-cache',
)
@argument("title")
@argument("stdin", required=False, metavar="[-]")
@option("--body", default=None, help="The text; `-` after the title reads it from stdin.")
@option(
    "--file",
    "file",
    type=FilePath(),
    default=None,
    help="Read the text from a file; `-` is stdin.",
)
@option(
    "--layer",
    type=Choice(model.LAYERS),
    default=None,
    help="The layer (default: chosen by rule).",
)
@option(
    "--kind",
    type=Choice(model.KINDS),
    default=None,
    metavar="KIND",
    help=f"What it is: {', '.join(model.KINDS)}.",
)
@option("--category", default=None, help="For a decision, pattern or issue.")
@option("--tags", default=None, help="Three to six nouns, separated by commas.")
@option("--trigger", default=None, help="Words of a symptom; they count double in recall.")
@option("--files", default=None, help="Files it is about, separated by commas.")
@option("--concepts", default=None, help="Concepts, separated by commas.")
@option("--salience", type=Choice(model.LEVELS), default=None, help="How much it matters.")
@option("--confidence", type=Choice(model.LEVELS), default=None, help="How sure it is.")
@option("--source", type=Choice(model.SOURCES), default=None, help="Where it comes from.")
@option("--status", type=Choice(model.STATUSES), default=None, help="Whether it is current.")
@option(
    "--conversation",
    type=FilePath(),
    default=None,
    help="A file with the raw conversation (level 3).",
)
@option("--private", is_flag=True, help="Keep it out of views, exports and git.")
@option("--encrypt", is_flag=True, help="Encrypt it, in its own file.")
@option(
    "--into",
    default="",
    metavar="ID",
    shell_complete=complete_ids,
    help="Add it as a section of this memory.",
)
def save_command(door: Door, title: str, dry_run: bool, scope: str | None, **given: Any) -> None:
    """Save a memory.

    The layer is chosen by rule (a pointer, a way to work, an event, else a fact) unless you
    name a layer or kind. Rules and pointers become sections of a shared file; everything else
    gets its own file. Tags stay as you write them; `scraper` still finds `scraping`. The same
    title and text are not saved twice.
    """
    _check_together(door, given)
    draft = writing.draft(
        door.app,
        title,
        text_given(door, given),
        conversation=text_at(given["conversation"]) if given["conversation"] else "",
        **{k: words(given[k]) for k in ("tags", "trigger", "files", "concepts")},
        **{
            k: given[k] or ""
            for k in ("layer", "kind", "category", "salience", "confidence", "source", "status")
        },
        private=given["private"],
        into=given["into"],
        encrypt=given["encrypt"],
    )
    _check_category(door, draft.kind, draft.category)
    done = writing.save(door.app, draft, scope=scope or "", dry_run=dry_run)

    def show() -> None:
        if done.what == "unchanged":
            door.tell("{id} already says that; nothing was changed.", id=done.id)
        elif dry_run:
            door.tell("Would save {id} in {path}", id=done.id, path=done.path)
        else:
            door.tell("Saved {id}", id=done.id, style="bold")
            door.tell("  {path}", path=done.path, style="dim")
        door.tell(
            "  layer {layer}: it {reason}",
            layer=done.layer,
            reason=door.word(done.reason),
            style="dim",
        )
        _show_advice(door, done.advice)
        if dry_run:
            door.paper.line()
            door.paper.block(done.text)

    door.answer(done.as_json(), show)


def _show_advice(door: Door, advice: Advice) -> None:
    if advice.near:
        door.tell(
            "  {id} has tags in common ({tags}); --into {id} adds to it instead",
            id=advice.near,
            tags=", ".join(advice.common),
            style="dim",
        )
    for text in advice.instead:
        door.tell("  in place of “{text}”, which it contradicts", text=text, style="dim")
    for warning in advice.warnings:
        door.tell(WARNINGS[warning], style="yellow")


def _check_together(door: Door, given: dict[str, Any]) -> None:
    if given["into"] and (given["layer"] or given["kind"] or given["conversation"]):
        raise door.refusal("--into adds to a memory: leave out --layer, --kind and --conversation.")
    if given["conversation"] and (given["layer"] or given["kind"]):
        raise door.refusal("--conversation makes an episode: leave out --layer and --kind.")
    if given["encrypt"] and (given["into"] or given["private"]):
        raise door.refusal("--encrypt creates a separate file: leave out --into and --private.")


def _check_category(door: Door, kind: str, category: str) -> None:
    known = model.CATEGORIES.get(kind)
    if category and known and category not in known:
        raise door.refusal(f"The category of a {kind} must be one of {', '.join(known)}.")
