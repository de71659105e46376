"""Renew what is made of a store: views, brief, and the files that hooks read."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from recollect._version import __version__
from recollect.context import views
from recollect.errors import RecollectError
from recollect.i18n import filled
from recollect.model.memory import Entry, Filter
from recollect.store import disk, locations
from recollect.store.locations import KNOWN, note_of
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens
from recollect.workspace import ASKING, Workspace, look_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.model.session import SessionState


MOST_HOURS_RUNNING = 12
# What the person sees of a brief, in clients that show it.
ANNOUNCED = {
    "en": "Recollect: {notes} notes, {tokens} tokens; `recollect given` shows them",
    "zh": "Recollect：{notes} 条笔记，{tokens} 个 token；`recollect given` 可查看",
}
_WATCHED = (
    "core", "episodic", "semantic", "semantic/decisions", "semantic/issues", "procedural",
    "procedural/patterns", "reference", "config.toml", "sessions/active",
)  # fmt: skip


def publish_all(app: Workspace, store: OpenStore) -> list[str]:
    """Renew the views of a store, its brief, and what its hooks go by; gives the views' names."""
    stores, watched = _look(app, store)
    done = views.publish_views(store, views.LastFacts(app.cache_of(store.root)), _says_more)
    if done.is_held:
        _warn_of_edits(app, store)
    keep_hook_settings(app, store)
    told = [(store, done.entries), *_with_entries(stores[1:])]
    running = _running(app, store)
    if not _is_current(app, told, running):
        _keep_brief(app, told, running, watched)
    _keep_pointers(app, store)
    _keep_keywords(store)
    return done.written


def _warn_of_edits(app: Workspace, store: OpenStore) -> None:
    path, text = f"{store.root}/{views.FACTS_JSON}", views.facts_text(store)
    what = f"{path} says more than the memories: `recollect import` takes in what is new; then move it away to have it rebuilt."
    if problem := unreadable_facts(text):
        what = f"{path}: {problem}; fix it, or move it away to have it rebuilt."
    if what not in app.warnings:
        app.warnings.append(what)


def unreadable_facts(text: str) -> str:
    """Why a `facts.json` cannot be read; empty if it can."""
    from recollect.model.facts import facts_in_json  # seldom needed

    try:
        facts_in_json(text)
    except ValueError as error:
        return str(error)
    return ""


def _says_more(text: str, base: str, now: str) -> bool:
    """Whether a `facts.json` that we did not write has a fact that no memory has.

    `base` is the file as we wrote it last, `now` as it should be.
    """
    from recollect.model.facts import facts_in_json  # seldom needed

    known = facts_in_json(now)
    with suppress(ValueError):
        known += facts_in_json(base)
    try:
        return not {fact for fact, _ in facts_in_json(text)} <= {fact for fact, _ in known}
    except ValueError:
        # What a merge left is in the memories on both sides; what has no facts is no loss.
        return '"content"' in text and not text.startswith("<<<<<<<") and "\n<<<<<<<" not in text


def is_facts_held(app: Workspace, store: OpenStore) -> bool:
    """Whether `facts.json` is left as it is, because it says more than the memories."""
    text, now = views.facts_text(store), views.facts_page(store, store.index.entries(Filter()))
    base = views.LastFacts(app.cache_of(store.root)).text()
    return text not in ("", base, now) and _says_more(text, base, now)


def _keep_pointers(app: Workspace, store: OpenStore) -> None:
    """Bring the pointers in the client's instructions up to date, if a person has pinned any."""
    marks = (f"{store.root}/pins.json", f"{app.cache_of(store.root)}/pointers")
    if any(map(os.path.lexists, marks)):
        from recollect.features import pins  # seldom needed

        with suppress(RecollectError):  # instructions that we may not touch stop nothing else
            pins.renew(app, store)


def _keep_keywords(store: OpenStore) -> None:
    """Bring the keywords in the skill beside a store up to date, if a person has put one there."""
    beside = f"{os.path.dirname(store.root)}/skills"
    if any(os.path.lexists(f"{beside}/{name}/SKILL.md") for name in ("recollect", "recollect-zh")):
        from recollect.context import pointers  # seldom needed

        with suppress(RecollectError):
            pointers.renew_keywords(store)


def keep_hook_settings(app: Workspace, store: OpenStore) -> None:
    """Leave the settings where a hook finds them without a parser."""
    chosen = store.settings
    line = f"{chosen.lang} {chosen.prompt_tokens} {chosen.error_tokens}\n"
    disk.write_whole(f"{app.cache_of(store.root)}/settings", line.encode(), durable=False)
    keep_asking(app, store)


def brief_within(app: Workspace, store: OpenStore, budget: int) -> str:
    """The brief of a store with that many tokens; it is not kept for the hook."""
    from recollect.context import brief

    told, running = _with_entries(_stores_in_brief(app, store)), _running(app, store)
    lang, nonce = store.settings.lang, os.urandom(8).hex()
    return brief.make_brief(told, running, lang=lang, budget=budget, nonce=nonce)[0].text


def keep_brief(app: Workspace, store: OpenStore) -> str:
    """Make the brief of a store and keep it for the hook."""
    stores, watched = _look(app, store)
    return _keep_brief(app, _with_entries(stores), _running(app, store), watched)


def _look(app: Workspace, store: OpenStore) -> tuple[list[OpenStore], list[str]]:
    """The stores of the brief of this one, with the settings of now, and how they look."""
    stores = _stores_in_brief(app, store)
    watched = _watched(app, stores)
    for one in stores:  # another process may have changed them since the store was opened
        one.settings = app.settings(one.root)
    return stores, watched


def _stores_in_brief(app: Workspace, store: OpenStore) -> list[OpenStore]:
    """The stores that the brief of this one tells of."""
    if store.scope != "project" or "global" not in app.roots:
        return [store]
    return [store, app.opened(app.roots["global"], "global")]


def _with_entries(stores: Sequence[OpenStore]) -> list[tuple[OpenStore, Sequence[Entry]]]:
    return [(store, store.index.entries(Filter())) for store in stores]


def _keep_brief(
    app: Workspace,
    told: list[tuple[OpenStore, Sequence[Entry]]],
    running: Sequence[SessionState],
    watched: list[str],
) -> str:
    """`watched` is how the stores looked before they were read."""
    from recollect.context import brief  # a pass that finds nothing new makes none

    store = told[0][0]
    nonce = os.urandom(8).hex()
    made, paths = brief.make_brief(
        told,
        running,
        lang=store.settings.lang,
        budget=store.settings.start_tokens,
        nonce=nonce,
    )
    # A change between the look and the reading makes the brief look old.
    sources = [*watched, *(look_of(path) for path in paths)]
    path = _brief_of(app, store)
    tokens = count_tokens(made.text)
    names = (",".join(some) for some in (made.ids, made.told))
    rest = f"{tokens} {','.join(made.same)} {_made_of(told, running)}"
    head = f"recollect-brief 1 {nonce} {' '.join(names)} {rest}\n"
    notes = len(made.ids) + len(made.told)
    said = ANNOUNCED.get(store.settings.lang, ANNOUNCED["en"])
    said = filled(said, notes=notes, tokens=tokens)
    message = said if store.settings.announce and notes else ""
    output = brief.as_hook_output(made.text, message) if made.text else ""
    page = head + "".join(f"{line}\n" for line in sources) + "\n" + output
    with suppress(RecollectError, OSError):  # where nothing can be written, it can be read
        disk.write_whole(path, page.encode("utf-8", "replace"), durable=False)
    return made.text


def _brief_of(app: Workspace, store: OpenStore) -> str:
    return f"{app.cache_of(store.root)}/brief"


def _made_of(told: list[tuple[OpenStore, Sequence[Entry]]], running: Sequence[SessionState]) -> str:
    """The stamp of all that a brief is made of."""
    chosen = told[0][0].settings
    entries = [
        (one.stamp, one.path, one.id, store.files.is_own(one.stamp))  # what is believed may change
        for store, every in told
        for one in every
    ]
    states = [(one.task, one.started, one.asked_trust, one.statements) for one in running]
    of = (__version__, chosen.lang, chosen.start_tokens, chosen.announce, entries, states)
    return disk.stamp_of(repr(of).encode("utf-8", "backslashreplace"))


def _is_current(
    app: Workspace,
    told: list[tuple[OpenStore, Sequence[Entry]]],
    running: Sequence[SessionState],
) -> bool:
    """Whether the brief that is there would come out the same, and its sources look as they did."""
    try:
        kept = disk.read_file(_brief_of(app, told[0][0])).decode("utf-8", "replace")
    except RecollectError:
        return False
    head, end, _ = kept.partition("\n\n")
    head, *sources = head.split("\n")
    is_whole = bool(end) and kept.endswith("\n")
    if not (is_whole and head.endswith(f" {_made_of(told, running)}")):
        return False
    paths = [line.split(" ", 2)[2] for line in sources]
    looks = [look_of(path.lstrip("!"), "!" * path.startswith("!")) for path in paths]
    return looks == sources


def _running(app: Workspace, store: OpenStore) -> list[SessionState]:
    """The sessions of a store that go on now."""
    since = app.started_ns / 1e9 - MOST_HOURS_RUNNING * 3600
    try:
        names = os.listdir(f"{store.root}/sessions/active")
    except OSError:
        names = []
    if not names:
        return []  # the most usual; what reads sessions takes long to load
    return [
        state
        for state in app.sessions(store).every(since)
        if state.status == "active" and state.last_updated >= locations.utc(since)
    ]


def _watched(app: Workspace, stores: list[OpenStore]) -> list[str]:
    """How the stores' folders look now, and the notes on whether this person accepted the stores."""
    roots = [store.root for store in stores]
    folders = [look_of(f"{root}/{name}") for root in roots for name in _WATCHED]
    notes = [path for root in roots if (path := note_of(root, app.env)[0])]
    return [
        *(app.looks.get(note) or look_of(note, "!") for note in notes),
        *(look_of(f"{note}{KNOWN}") for note in notes),
        *folders,
    ]


def keep_asking(app: Workspace, store: OpenStore) -> None:
    """Leave `asking` in the cache where the agent is asked: interval, language, our command.

    Where it is not, nothing is there: that is all that a hook looks at.
    """
    path = f"{app.cache_of(store.root)}/{ASKING}"
    chosen = app.values(store.root)
    # What an agent writes by itself would be plain.
    if chosen["capture.mode"] != "ask" or not store.settings.capture or store.settings.encrypt:
        disk.remove(path)
        return
    lines = (str(chosen["capture.save_interval"]), store.settings.lang, _command())
    disk.write_whole(path, "".join(f"{line}\n" for line in lines).encode(), durable=False)


def _command() -> str:
    """How this program is run from a shell, wherever it is installed."""
    import shlex

    main = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    return shlex.join([sys.executable, "-I", main])
