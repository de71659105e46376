"""Commands: search, recall, show."""

from __future__ import annotations

from recollect.features import reading
from recollect.interfaces.cli.context import Door, command, complete_ids, filter_of, filters
from recollect.interfaces.cli.output import show_hit, show_list, show_rest
from recollect.interfaces.cli.parsing import Choice, IntRange, argument, option
from recollect.search.search import FIELDS, Found, Narrow
from recollect.store.store import OpenStore

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any

    from recollect.context.recall import Recalled


MOST_RATED = 15


@command(
    "search",
    scope=True,
    example='recollect search "connection pool"\nrecollect search sqlite busy --kind solution --limit 3',
)
@argument("query", nargs=-1)
@filters
@option("--limit", type=IntRange(1, 1000), default=10, show_default=True, metavar="N")
@option(
    "--sections", is_flag=True, help="Every matching section, not only the best of each memory."
)
@option(
    "--as-of",
    "as_of",
    default="",
    metavar="CHANGE|DATE",
    help="Search the store as of a change, the end of a day or a time (UTC).",
)
@option(
    "--phrase",
    "phrases",
    multiple=True,
    metavar="TEXT",
    help="Only with this exact phrase; can be repeated.",
)
@option(
    "--in",
    "field",
    type=Choice(tuple(FIELDS)),
    default=None,
    help="Only with one of the words in this field.",
)
@option("--explain", is_flag=True, help="Show the searched words and how each score was computed.")
@option("--encrypted", is_flag=True, help="Search encrypted memories too.")
def search_command(
    door: Door,
    query: tuple[str, ...],
    scope: str | None,
    as_of: str,
    *,
    encrypted: bool,
    **given: Any,
) -> None:
    """Search memories by words, in any order; a query has no special syntax.

    Identifiers are found by their parts (use callback finds useCallback), Chinese by any two
    characters; --phrase and --in are stricter. Without words it counts the facts and lists what
    matches the filters. --as-of searches the texts of that time, which takes as long as
    rebuild-index.
    """
    text = " ".join([*query, *given["phrases"]])
    if encrypted:
        if as_of or not text.strip():
            raise door.refusal("--encrypted searches current memories by words only.")
        from recollect.ops import encryption as sealing  # seldom asked for

        stores = door.app.stores(scope or "")
        with sealing.opened_stores(door.app, stores) as opened:
            _search(door, text, scope or "", [*stores, *opened], **given)
        return
    if not as_of:
        _search(door, text, scope or "", None, **given)
        return
    from recollect.features import undo as asof  # seldom asked for

    with asof.stores_then(door.app, scope or "", as_of) as stores:
        _search(door, text, scope or "", stores, **given)


def _search(
    door: Door,
    text: str,
    scope: str,
    stores: list[OpenStore] | None,
    *,
    limit: int,
    sections: bool,
    explain: bool,
    phrases: tuple[str, ...],
    field: str | None,
    **given: Any,
) -> None:
    only = filter_of(door, given)
    narrow = Narrow(phrases, field or "") if phrases or field else None
    if text.strip():
        hits = reading.search(
            door.app,
            text,
            only,
            limit=limit,
            scope=scope,
            sections=sections,
            stores=stores,
            narrow=narrow,
        )
        if explain:
            from recollect.interfaces.cli import explain as explaining  # seldom asked for

            told = reading.explained_json(stores or door.app.stores(scope), text, hits)
            door.answer({"query": text} | told, lambda: explaining.show_search(door, told, hits))
            return
        answer = {"query": text, "hits": [reading.hit_json(hit) for hit in hits]}
        door.answer(answer, lambda: _show_hits(door, text, hits))
        return
    if field:
        raise door.refusal("--in needs words to search for.")
    found = reading.entries(door.app, only, scope=scope, stores=stores)

    def show() -> None:
        _show_facts(door, found)
        show_list(door, found[:limit], only)
        show_rest(door, len(found) - limit)

    listed = [reading.listed_as_hit(one) for one in found[:limit]]
    door.answer({"query": "", "hits": listed}, show)


def _show_facts(door: Door, found: list[reading.Listed]) -> None:
    """One line about the facts among these memories, if there are any."""
    from recollect.context.views import summary_of

    count = summary_of(one.entry for one in found)
    if count.decisions or count.patterns or count.issues:
        door.tell(
            "Decisions: {decisions} | Patterns: {patterns} | Issues: {issues} ({open} open) | Concepts: {concepts}",
            **(count._asdict() | {"concepts": ", ".join(count.concepts) or "–"}),
            style="bold",
        )


def _show_hits(door: Door, query: str, hits: list[Found]) -> None:
    if not hits:
        door.tell("Nothing found for “{query}”.", query=query)
    for hit in hits:
        show_hit(door, hit)


@command(
    "recall",
    scope=True,
    example='recollect recall "why is the test database locked"\nrecollect recall --start\nrecollect recall "is the queue slow" --why-not use-postgres',
)
@argument("cue", nargs=-1)
@option(
    "--budget",
    type=IntRange(50, 9000),
    default=None,
    metavar="N",
    help="Budget in tokens (default: the setting).",
)
@option("--start", is_flag=True, help="Show the brief instead.")
@option("--why", is_flag=True, help="Show how each memory was scored.")
@option(
    "--why-not",
    "missed",
    default="",
    metavar="ID",
    help="Explain why this memory is missing.",
    shell_complete=complete_ids,
)
@option("--session", default="", metavar="ID", help="Leave out what this session already got.")
def recall_command(
    door: Door,
    cue: tuple[str, ...],
    budget: int | None,
    scope: str | None,
    *,
    start: bool,
    why: bool,
    missed: str,
    session: str,
) -> None:
    """Show what an agent would get for a prompt, and why."""
    text = " ".join(cue)
    if start:
        text, tokens = reading.brief(door.app)
        door.answer(
            {"text": text, "tokens": tokens, "items": []}, lambda: _show_text(door, text, tokens)
        )
        return
    if not text.strip():
        raise door.refusal("Give the words of a prompt, or --start.")
    told = reading.told_to(door.app, session, scope=scope or "")
    if missed:
        from recollect.interfaces.cli import explain as explaining

        reason, words = reading.why_not(
            door.app, text, missed, budget=budget, scope=scope or "", told=told
        )
        answer = reading.why_not_json(missed, reason, words)
        door.answer(answer, lambda: explaining.show_reason(door, missed, reason, words))
        return
    found = reading.recall(door.app, text, budget=budget, scope=scope or "", told=told)

    def show() -> None:
        _show_text(door, found.text, found.tokens)
        if why:
            _show_ratings(door, found)

    door.answer(reading.recalled_json(found), show)


def _show_text(door: Door, text: str, tokens: int) -> None:
    if not text:
        door.tell("Nothing relevant: the agent would get no notes.")
        return
    door.paper.block(text)
    door.tell("({n} tokens)", n=tokens, style="dim")


def _show_ratings(door: Door, found: Recalled) -> None:
    given = {id(one) for one in found.full} | {id(one) for one in found.pointers}
    rows = [
        (
            "✓" if id(one) in given else "",
            one.name,
            f"{one.score:.2f}",
            " ".join(f"{k}={v:.2f}" for k, v in one.parts.items()),
        )
        for one in found.candidates[:MOST_RATED]
    ]
    if not rows:
        door.tell("No memory has any of these words.", style="dim")
        return
    door.paper.line()
    door.paper.table(["", *door.heads("memory", "score", "parts")], rows)


@command(
    "show",
    example="recollect show use-postgres-for-events\nrecollect show 2026-01-11-event-store --level 3",
)
@argument("name", metavar="ID", shell_complete=complete_ids)
@option(
    "--level",
    type=IntRange(0, 3),
    default=2,
    show_default=True,
    help="0 keywords, 1 index row, 2 the memory, 3 with the raw conversation.",
)
def show_command(door: Door, name: str, level: int) -> None:
    """Show one memory, or one section of it (ID#SECTION)."""
    page = reading.show(door.app, name, level)
    door.answer(reading.page_json(page, level), lambda: _show_page(door, page, name, level))


def _show_page(door: Door, page: reading.Page, name: str, level: int) -> None:
    entry, paper = page.entry, door.paper
    title = f"{entry.title} – {page.heading}" if page.heading else entry.title
    paper.line(("bold", title), ("dim", f"  {name}"))
    if level >= 1:
        about = [entry.layer, entry.kind, entry.created[:10], entry.status]
        about += [
            door.say("source {source}", source=entry.source),
            door.say("trust {trust}", trust=entry.trust),
        ]
        paper.line(("dim", "  " + " · ".join(word for word in about if word)))
    if entry.tags:
        paper.line(("dim", "  " + ", ".join(entry.tags)))
    if level >= 1:
        paper.line(("dim", f"  {page.listed.path}"))
    if page.problem:
        door.tell("Note: {problem}.", problem=door.translate(page.problem), style="yellow")
    if level == 1 and entry.summary:
        paper.paragraph(entry.summary)
    if level >= 2:
        paper.line()
        paper.markdown(_without_title(page.text, entry.title))
    if level == 3:
        paper.line()
        if page.conversation:
            paper.markdown(page.conversation)
        else:
            door.tell("This memory has no raw conversation.", style="dim")


def _without_title(text: str, title: str) -> str:
    """The text without a first line that repeats the title above it."""
    first, _, rest = text.partition("\n")
    return rest.strip() if first.strip() == f"# {title}" else text
