"""Commands: search, recall, show, list, browse."""

from __future__ import annotations

import sys

from recollect._fastimport import Any, Sequence
from recollect.errors import Failed, MissingExtra
from recollect.features import reading
from recollect.i18n import english_of, say, word
from recollect.interfaces.cli.command import CommandContext, comma_list, command
from recollect.interfaces.cli.console import cut_statement, shown_line, shown_page, shown_title
from recollect.interfaces.cli.parsing import ID, Choice, IntRange, argument, flag, option
from recollect.model import memory
from recollect.model.memory import Filter
from recollect.search.rank import BEHIND, BONUSES, FACTORS, SIGNALS, Candidate
from recollect.search.relevance import ENOUGH_COVERAGE, ENOUGH_IN_PASSING
from recollect.search.search import FIELDS, Hit, HitFilter

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from recollect.context.recall import Reason, Recalled
    from recollect.store.store import OpenStore

MOST_SCORED = 15  # rows of `recall --why`
NOTHING = {
    "brief": "No brief: there is nothing to tell, or it needs more tokens.",
    "notes": "Nothing relevant: the agent would get no notes.",
}
FILTERS = (
    option("--layer", type=Choice(memory.LAYERS), help="Only this layer."),
    option(
        "--kind",
        type=Choice(memory.KINDS),
        metavar="KIND",
        help=f"Only this kind: {', '.join(memory.KINDS)}.",
    ),
    option(
        "--type",
        "word",
        metavar="WORD",
        help="Only this kind (decision), category (bugfix) or layer (semantic).",
    ),
    option("--tags", help="Only memories with all of these tags."),
    option("--file", help="Only about files whose path contains this."),
    option("--concept", help="Only about this concept."),
    option("--session", metavar="ID", help="Only from this session (an id or its beginning)."),
    option("--since", help="Not older than this day (2026-01-31, 2026-01, 2026)."),
    option("--until", help="Not newer than this day."),
    flag("--archived", help="Look in the archive instead."),
)


def filter_of(ctx: CommandContext, given: dict[str, Any]) -> Filter:
    """The filter for the values of FILTERS."""
    for name in filter(given.get, ("since", "until")):
        from recollect.model.times import is_day  # takes as long to load as a search

        if not is_day(given[name]):
            raise ctx.usage_error(
                f"--{name} must be a day such as 2026-01-31, not “{given[name]}”."
            )
    fields = {"layer": given["layer"], "kind": given["kind"], "category": ""}
    if given["word"]:
        field, word = _field_of(given["word"].strip().lower())
        if fields[field] not in ("", word):
            raise ctx.usage_error(
                f"--type {word} and --{field} {fields[field]} exclude each other."
            )
        fields[field] = word
    return Filter(
        **fields,
        tags=comma_list(given["tags"]),
        file=given["file"],
        concept=given["concept"],
        sessions=reading.names_of_session(ctx.app, given["session"], ctx.scope),
        since=given["since"],
        # `~` sorts after every digit, so that the whole day, month or year is included.
        until=f"{given['until']}~" if given["until"] else "",
        archived=given["archived"],
    )


def _field_of(word: str) -> tuple[str, str]:
    """The field that a word of --type belongs to, and the word; no word belongs to two fields."""
    if not word.isascii():
        word = english_of(word, (*memory.LAYERS, *memory.KINDS))
    if word in memory.LAYERS:
        return "layer", word
    singular = word.removesuffix("s")  # seed 003 speaks of decisions, patterns, issues
    return ("kind", singular) if singular in memory.KINDS else ("category", word)


@command(
    argument("query", nargs=-1),
    *FILTERS,
    option("--limit", type=IntRange(1, 1000), default=10, help="At most this many."),
    flag("--sections", help="Every matching section, not only the best of each memory."),
    option(
        "--as-of",
        metavar="CHANGE|DATE",
        help="Search the store as of a change, the end of a day or a time (UTC).",
    ),
    option(
        "--phrase", "phrases", multiple=True, help="Only with this exact phrase; can be repeated."
    ),
    option(
        "--in",
        "field",
        type=Choice(tuple(FIELDS)),
        help="Only with one of the words in this field.",
    ),
    flag("--explain", help="Show the searched words and how each score was computed."),
    flag("--encrypted", help="Search encrypted memories too."),
    scope=True,
    example='recollect search "connection pool"\n'
    "recollect search sqlite busy --kind solution --limit 3",
)
def search_command(
    ctx: CommandContext, query: tuple[str, ...], as_of: str, encrypted: bool, **given: Any
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
            raise ctx.usage_error("--encrypted searches current memories by words only.")
        from recollect.features.encrypt import opened_stores

        stores = ctx.app.stores(ctx.scope)
        with opened_stores(ctx.app, stores) as opened:
            _search(ctx, text, given, [*stores, *opened])
    elif as_of:
        from recollect.features.undo import stores_then

        with stores_then(ctx.app, ctx.scope, as_of) as stores:
            _search(ctx, text, given, stores)
    else:
        _search(ctx, text, given, None)


def _search(
    ctx: CommandContext, text: str, given: dict[str, Any], stores: list[OpenStore] | None
) -> None:
    """Search in these stores; None means those of now."""
    only, limit, field = filter_of(ctx, given), given["limit"], given["field"]
    if not text.strip():
        if field:
            raise ctx.usage_error("--in needs words to search for.")
        _list_matching(ctx, only, stores, limit)
        return
    narrow = HitFilter(given["phrases"], field) if given["phrases"] or field else None
    hits = reading.search(
        ctx.app,
        text,
        only,
        limit=limit,
        scope=ctx.scope,
        sections=given["sections"],
        stores=stores,
        narrow=narrow,
    )
    if given["explain"]:
        explained = reading.explained_json(stores or ctx.app.stores(ctx.scope), text, hits)
        ctx.answer({"query": text} | explained)
        _show_explained(ctx, explained, hits)
        return
    if ctx.as_json:
        ctx.answer({"query": text, "hits": [reading.hit_json(hit) for hit in hits]})
        return
    if not hits:
        ctx.tell("Nothing found for “{query}”.", query=text)
    for hit in hits:
        _show_hit(ctx, hit)
    if stores is None and not only.archived:
        in_archive = only._replace(archived=True)
        more = reading.search_archive(
            ctx.app, text, in_archive, limit=limit, scope=ctx.scope, narrow=narrow
        )
        if more:
            ctx.hint("In the archive: {n}; --archived shows what is there.", n=more)


def _show_hit(ctx: CommandContext, hit: Hit) -> None:
    one = hit.candidate
    title, whole = one.shown_title, one.text.removeprefix("- ").strip()
    if one.heading.endswith("…") and whole.startswith(one.heading[:-1]) and "\n" not in whole:
        title = f"{one.title} – {whole}"  # a heading is cut so that the file stays readable
    ctx.console.paragraph(shown_title(ctx.lang, title), style="bold", head=())
    # A rule that says no more than its title has been shown.
    if hit.snippet and not title.endswith((hit.snippet.removeprefix("- "), whole)):
        ctx.console.paragraph(hit.snippet.replace("**", ""))
    about = [
        one.name,
        ctx.word(one.kind),
        one.created[:10],
        shown_state(ctx.lang, one.status),
        say(ctx.lang, "trust {trust}", trust=ctx.word(one.trust))
        if one.trust == "external"
        else "",
        ctx.word(one.scope),
    ]
    ctx.console.paragraph(" · ".join(filter(None, about)), style="dim")


def _list_matching(
    ctx: CommandContext, only: Filter, stores: list[OpenStore] | None, limit: int
) -> None:
    """What a search without words shows: the number of facts, and what the filters let through."""
    from recollect.context.views import summary_of

    found = reading.listed(ctx.app, only, scope=ctx.scope, stores=stores)
    if ctx.as_json:
        ctx.answer({"query": "", "hits": [reading.listed_as_hit(one) for one in found[:limit]]})
        return
    pages = reading.entries(ctx.app, only, scope=ctx.scope, stores=stores)
    count = summary_of(one.entry for one in pages)
    if count.decisions or count.patterns or count.issues:
        ctx.tell(
            "Decisions: {decisions} | Patterns: {patterns} | Issues: {issues} ({open} open) | Concepts: {concepts}",
            **(count._asdict() | {"concepts": ctx.listed(count.concepts) or "–"}),
            style="bold",
        )
    _show_entries(ctx, found, only, stores or ctx.app.stores(ctx.scope), limit)


def _show_explained(ctx: CommandContext, explained: dict[str, Any], hits: list[Hit]) -> None:
    """The searched words, then the hits with the parts of their scores."""
    words = [f"{one['word']} {one['sections']}" for one in explained["words"] if one["sections"]]
    ctx.hint(
        "Searched words, with the number of sections (of {total}) that have each: {words}",
        total=explained["sections"],
        words=ctx.listed(words) or "–",
    )
    for one in explained["words"]:
        if one["near"]:
            ctx.hint(
                "“{word}” does not occur; searched for {near} instead.",
                word=one["word"],
                near=ctx.listed(one["near"]),
            )
    if not hits:
        ctx.tell("Nothing found.")
    for hit in hits:
        _show_hit(ctx, hit)
        ctx.console.prose(("dim", f"  {score_of(hit.candidate)}"))


def score_of(one: Candidate) -> str:
    """A score as a formula: `1.15 = text 1.00 × confidence 1.10 + scope 0.05`."""
    parts = one.parts
    product = [f"text {parts.get('text', 0.0):.2f}"]
    if parts.get("meaning"):
        product = [f"({product[0]} + meaning {SIGNALS['meaning'] * parts['meaning']:.2f})"]
    product += [f"{name} {parts[name]:.2f}" for name in FACTORS if parts.get(name, 1.0) != 1.0]
    bonuses = [f"{name} {parts[name]:.2f}" for name in BONUSES if parts.get(name)]
    formula = " + ".join([" × ".join(product), *bonuses])
    for name in (*BEHIND, "answered"):
        if parts.get(name, 1.0) != 1.0:
            formula = f"({formula}) × {name} {parts[name]:.2f}"
    if parts.get("newer"):
        formula += f" + newer {parts['newer']:.2f}"
    return f"{one.score:.2f} = {formula}"


REASONS = {
    "given": "{id} is included in full, as number {n}.",
    "pointer": "{id} is included as a pointer: its full text does not fit.",
    "told": "{id} was already given to this session.",
    "encrypted": "{id} is encrypted: only `search --encrypted` finds it.",
    "archived": "{id} is archived: only `search --archived` finds it.",
    "brief": "{id} is part of every brief, so it is not repeated.",
    "superseded": "{id} is superseded.",
    "queued": "{id} waits for your ruling: see `recollect conflicts`.",
    "released": "What {id} contradicted does not hold any more: `recollect consolidate` files it.",
    "external": "{id} comes from an external source: only `search` finds it.",
    "no-words": "{id} has none of the words.",
    "spelled": "{id} has none of the words exactly; only `search` tries similar spellings.",
    "raw": "{id} says it in its raw conversation: only `search` finds it there.",
    "crowded-out": "{id} is number {n} of the {of} that have some of the words; only the first are considered.",
    "everyday": "The words of the query that {id} has are too common to bring it unasked.",
    "passing": "{id} mentions one of the words in passing; its title and tags are about something else.",
    "too-little": "{id} covers too little of the query.",
    "said": "The query says itself what {id} says.",
    "weaker": "{id} ranks far below {other}.",
    "repeats": "{id} says the same as {other}.",
    "no-room": "{id} did not fit into the budget.",
}
ENOUGH = {"passing": ENOUGH_IN_PASSING, "too-little": ENOUGH_COVERAGE}  # of the query


@command(
    argument("cue", nargs=-1),
    option("--budget", type=IntRange(50, 9000), help="Budget in tokens (default: the setting)."),
    flag("--start", help="Show the brief instead."),
    flag("--why", help="Show how each memory was scored."),
    option("--why-not", "missing", type=ID, help="Explain why this memory is missing."),
    option("--session", metavar="ID", help="Leave out what this session already got."),
    scope=True,
    example='recollect recall "why is the test database locked"\nrecollect recall --start\n'
    'recollect recall "is the queue slow" --why-not use-postgres',
)
def recall_command(
    ctx: CommandContext,
    cue: tuple[str, ...],
    budget: int | None,
    start: bool,
    why: bool,
    missing: str,
    session: str,
) -> None:
    """Show what an agent would get for a prompt, and why."""
    text = " ".join(cue)
    if start:
        text, tokens = reading.brief(ctx.app, budget)
        ctx.answer({"text": text, "tokens": tokens, "items": []})
        _show_injection(ctx, text, tokens, "brief")
        return
    if not text.strip():
        raise ctx.usage_error("Give the words of a prompt, or --start.")
    how: Any = {"budget": budget, "scope": ctx.scope}
    how["told"] = reading.given_ids(ctx.app, session, scope=ctx.scope)
    if missing:
        reason, words = reading.why_not(ctx.app, text, missing, **how)
        ctx.answer(reading.why_not_json(missing, reason, words))
        _show_reason(ctx, missing, reason)
        if words:
            ctx.console.line()
            rows = [("✓" if one.said else "", one.word, f"{one.asks:.2f}") for one in words]
            ctx.table(("", "word", "asks for"), rows)
        return
    found = reading.recall(ctx.app, text, **how)
    ctx.answer(reading.recalled_json(found))
    _show_injection(ctx, found.text, found.tokens, "notes")
    if why:
        _show_scores(ctx, found)


def _show_injection(ctx: CommandContext, text: str, tokens: int, what: str) -> None:
    if not text:
        ctx.tell(NOTHING[what])
        return
    for line in text.rstrip().split("\n"):
        ctx.console.prose(line)
    ctx.hint("({n} tokens)", n=tokens)


def _show_reason(ctx: CommandContext, name: str, reason: Reason) -> None:
    """Why a memory is missing, or that it is included."""
    ctx.tell(REASONS[reason.why], id=name, n=reason.place, of=reason.of, other=reason.other)
    if reason.candidate is None or "coverage" not in reason.candidate.parts:
        return
    share = round(100 * reason.candidate.parts["coverage"])
    if enough := ENOUGH.get(reason.why):
        ctx.hint(
            "  It covers {share} % of the query; {enough} % is enough.",
            share=share,
            enough=round(100 * enough),
        )
    else:
        ctx.hint("  It covers {share} % of the query.", share=share)


def _show_scores(ctx: CommandContext, found: Recalled) -> None:
    given = {id(one) for one in found.full} | {id(one) for one in found.pointers}
    rows = [
        ("✓" if id(one) in given else "", one.name, score_of(one))
        for one in found.candidates[:MOST_SCORED]
    ]
    if not rows:
        ctx.hint("No memory has any of these words.")
        return
    ctx.console.line()
    ctx.table(("", "memory", "score"), rows, wide=1, below=2)


@command(
    argument("name", type=ID),
    option(
        "--level",
        type=IntRange(0, 3),
        default=2,
        help="0 keywords, 1 index row, 2 the memory, 3 with the raw conversation.",
    ),
    example="recollect show use-postgres-for-events\n"
    "recollect show 2026-01-11-event-store --level 3",
)
def show_command(ctx: CommandContext, name: str, level: int) -> None:
    """Show one memory, or one section of it (ID#SECTION)."""
    page = reading.show(ctx.app, name, level)
    ctx.answer(reading.page_json(page, level))
    entry, console = page.entry, ctx.console
    console.prose(("bold", shown_title(ctx.lang, page.title)), ("dim", f"  {name}"), hang=2)
    if level >= 1 or entry.trust == "external":
        console.prose(("dim", f"  {' · '.join(provenance(ctx.lang, page))}"))
    if entry.tags:
        console.prose(("dim", "  " + ", ".join(entry.tags)))
    if level >= 1:
        console.line(("dim", f"  {page.listed.path}"))
    if page.problem:
        ctx.tell("Note: {problem}.", problem=ctx.translate(page.problem), style="yellow")
    if level == 1 and entry.summary:
        console.paragraph(entry.summary)
    if level >= 2:
        if without_page_marks(page.text) != page.text:
            tell_of_pages(ctx)
        console.line()
        console.markdown(text_of(ctx.lang, page))
    if level == 3:
        console.line()
        if page.conversation:
            console.markdown(page.conversation)
        else:
            ctx.hint("This memory has no raw conversation.")


def tell_of_pages(ctx: CommandContext) -> None:
    """Say of a session that its agent read other people's pages."""
    ctx.tell("Its agent read other people's pages; what it wrote after that counts as external.")


def without_page_marks(text: str) -> str:
    """The text of a session's page without the marks that say what is from before a page."""
    from recollect.model.entries import FIRST_HAND  # a search has no need of it

    return text.replace(FIRST_HAND, "").replace(f"{FIRST_HAND.strip()}\n", "")


def text_of(lang: str, page: reading.MemoryPage) -> str:
    """The text of a page or an entry as it is shown: as on disk, without the title above it."""
    from recollect.model.page_form import on_disk  # a search has no need of it

    text = without_page_marks(on_disk(page.text))
    first, _, rest = text.partition("\n")
    if page.heading and not rest:  # a rule that says no more than its heading
        text = text.removeprefix("- ")
    return shown_page(lang, rest.strip() if first.strip() == f"# {page.entry.title}" else text)


def shown_state(lang: str, status: str, trust: str = "") -> str:
    """The state of a memory as it is shown, and that it is from outside; that one holds goes without saying."""
    states = ("" if status == "confirmed" else status, trust if trust == "external" else "")
    return ", ".join(word(lang, one) for one in states if one)


def provenance(lang: str, page: reading.MemoryPage) -> list[str]:
    """Layer, kind, date, state, source and trust of a page, or of one entry on it."""
    one: Any = page.own or page.entry
    about = [word(lang, page.entry.layer), word(lang, one.kind), one.created[:10]]
    about.append(shown_state(lang, one.status))
    about.append(word(lang, "archived") if page.entry.archived else "")
    about.append(say(lang, "source {source}", source=word(lang, one.source)))
    about.append(say(lang, "trust {trust}", trust=word(lang, one.trust)))
    if page.others:
        trusts = ", ".join(word(lang, trust) for trust in page.others)
        about.append(say(lang, "with entries of: {trusts}", trusts=trusts))
    if page.own and one.session:
        about.append(say(lang, "session {session}", session=shown_line(one.session)))
    return [text for text in about if text]


@command(
    *FILTERS,
    option("--limit", type=IntRange(1), default=50, help="At most this many."),
    flag("--pages", help="List pages instead of entries."),
    flag("--encrypted", help="List encrypted memories, with their titles."),
    scope=True,
    example="recollect list --kind decision --since 2026-01-01",
)
def list_command(
    ctx: CommandContext, limit: int, pages: bool, encrypted: bool, **given: Any
) -> None:
    """List entries, newest first: what is remembered, with kind, date, state and id.

    An entry is a rule, a solution, a fact in a list, or a page with a single statement. --pages
    lists files. Every command accepts an id or a unique beginning of one, of three letters or
    more.
    """
    only = filter_of(ctx, given)
    show = _list_pages if pages else _list_entries
    stores = ctx.app.stores(ctx.scope)
    if not encrypted:
        show(ctx, only, stores, limit)
        return
    from recollect.features.encrypt import opened_stores

    with opened_stores(ctx.app, stores) as opened:
        show(ctx, only, opened, limit)


def _list_entries(ctx: CommandContext, only: Filter, stores: list[OpenStore], limit: int) -> None:
    found = reading.listed(ctx.app, only, scope="", stores=stores)
    if ctx.as_json:
        ctx.answer(reading.listed_json(stores, found[:limit]))
    else:
        _show_entries(ctx, found, only, stores, limit)


def _show_entries(
    ctx: CommandContext,
    found: list[reading.ListedEntry],
    only: Filter,
    stores: list[OpenStore],
    limit: int,
) -> None:
    rows = [
        (
            ctx.word(one.own.kind),
            (one.own.created or "–")[:10],
            shown_state(ctx.lang, one.own.status, one.own.trust),
            reading.short_name(stores, one),
            shown_title(ctx.lang, one.summary),
            one.page.entry.id,
            ctx.word(one.page.scope),
        )
        for one in found[:limit]
    ]
    if rows:
        heads = ("kind", "date", "state", "id", "text", "page", "scope")
        _show_table(ctx, heads, rows, wide=4)
    else:
        show_none(ctx, only)
    show_rest(ctx, len(found) - limit)


def _list_pages(ctx: CommandContext, only: Filter, stores: list[OpenStore], limit: int) -> None:
    found = reading.entries(ctx.app, only, scope="", stores=stores)
    ctx.answer([one.as_json() for one in found[:limit]])
    rows = [
        (
            ctx.word(page.kind),
            page.created[:10],
            shown_state(ctx.lang, page.status, page.trust),
            page.title,
            page.id,
            ctx.word(scope),
        )
        for page, scope, _ in found[:limit]
    ]
    if rows:
        heads = ("kind", "date", "state", "title", "memory", "scope")
        _show_table(ctx, heads, rows, wide=3)
    else:
        show_none(ctx, only)
    show_rest(ctx, len(found) - limit)


def _show_table(
    ctx: CommandContext, heads: Sequence[str], rows: Sequence[Sequence[str]], *, wide: int
) -> None:
    """The rows, with a column for their states if one has another than that it holds."""
    at = heads.index("state")
    if not any(row[at] for row in rows):
        heads, *rows = ((*row[:at], *row[at + 1 :]) for row in (heads, *rows))
        wide -= 1
    ctx.table(heads, rows, wide=wide, below=wide + 1, shorten=cut_statement)


def show_none(ctx: CommandContext, only: Filter) -> None:
    """Say that there is nothing to list."""
    if only == Filter():
        ctx.tell("There are no memories yet.")
    else:
        ctx.tell("No memory matches.")


def show_rest(ctx: CommandContext, more: int) -> None:
    """Say how many memories a limit has left out."""
    if more > 0:
        ctx.hint("… and {n} more; --limit shows them.", n=more)


@command(example="recollect browse")
def browse_command(ctx: CommandContext) -> None:
    """Read and change entries in the terminal.

    It lists what `recollect list` lists; a session is one row. Type `/` to filter, move with the
    arrow keys, and read below. `e` opens your editor, `y` approves what an agent noted, `a`
    archives, `D` forgets, `u` undoes the last change. `v` switches to the archive, where `a` brings
    back. It needs the extra `browse`; in a clone: `pipx install --force '.[browse]'`.
    """
    if ctx.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failed(what="`recollect browse` needs a terminal; `recollect list --json` does not.")
    try:
        from recollect.interfaces.cli.browser import Browser
    except ImportError:
        raise MissingExtra(
            feature="`recollect browse`", package="textual", extra="browse"
        ) from None
    from recollect.interfaces.cli.write import in_editor

    ctx.app.stores()  # fails where there is no store
    Browser(ctx.app, in_editor).run()
