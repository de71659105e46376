"""App: what somebody wrote into `facts.json` by hand, shown as what waits and decided by a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.app.finding import Finding
from recollect.app.finding import found as _found
from recollect.app.publishing import publish_after_change
from recollect.app.views import LastFacts
from recollect.app.wiring import App
from recollect.domain import factsedits
from recollect.domain.factsedits import GONE, Edit
from recollect.errors import FactNotFound
from recollect.services import factsedits as service
from recollect.services.opened import OpenStore
from recollect.services.publish import FACTS_JSON
from recollect.services.reviewing import Effect, Waiting

PREFIX = f"{FACTS_JSON}#"  # in front of the names of these edits


def waiting(app: App, store: OpenStore) -> list[Waiting]:
    """The edits of the view of a store; that it cannot be read is a warning."""
    held = service.edited(store, LastFacts(app, store).text())
    if held.problem:
        path = f"{store.files.root}/{FACTS_JSON}"
        app.warnings.append(f"{path}: {held.problem}; mend it, or delete it to have it made anew.")
    # Whoever can write the file may have edited it: nobody knows that it was the person.
    return [
        Waiting(
            f"{PREFIX}{one.name}",
            one.row.content,
            one.row.kind,
            "agent",
            "observed",
            "",
            "",
            FACTS_JSON,
            said_of(one),
        )
        for one in held.edits
    ]


def findings(app: App, store: OpenStore) -> Iterator[Finding]:
    """What the doctor says of a view that somebody edited."""
    held = service.edited(store, LastFacts(app, store).text())
    if held.problem:
        yield _found(
            "problem",
            FACTS_JSON,
            "{what}; mend it, or delete it to have it made anew",
            what=held.problem,
        )
    elif held.edits:
        yield _found(
            "note",
            FACTS_JSON,
            "was edited by hand; what of it waits for you ({n}), `recollect review` shows",
            n=len(held.edits),
        )


def said_of(edit: Edit) -> str:
    """An edit in one line, in the words of the file: what is new, or what it was and is to be."""
    if edit.what == GONE:
        return "−"
    new = factsedits.said_in(edit.row)
    if edit.was is None:
        shown = {key: new[key] for key in new if new[key] and (key, new[key]) != ("type", "other")}
        shown.pop("content")  # the title says it
        return f"+ {'; '.join(f'{key}: {_word(value)}' for key, value in shown.items())}".rstrip()
    old = factsedits.said_in(edit.was)
    changed = [key for key in new if new[key] != old[key]]
    return "; ".join(f"{key}: {_word(old[key])} → {_word(new[key])}" for key in changed)


def _word(value: object) -> str:
    text = ", ".join(value) if isinstance(value, (list, tuple)) else str(value)
    return text or "–"


def decide(
    app: App, names: Sequence[str], *, scope: str, approve: bool, dry_run: bool
) -> list[Effect]:
    """Carry out or turn down the edits of these names, in whichever store they are.

    Raises:
        FactNotFound: there is no such edit; nothing was changed.
    """
    wanted = [name.removeprefix(PREFIX) for name in names]
    effects: list[Effect] = []
    for store, edits in _by_store(app, wanted, scope):
        last = LastFacts(app, store)
        base = last.text()
        if approve:
            changes = service.approve(store, base, [one.name for one in edits], dry_run=dry_run)
            what = {"move": "removed", "put": "changed"}
            effects += [Effect(what[one.op], one.memory, one.path) for one in changes]
        else:
            effects += [Effect("left", one.name, FACTS_JSON) for one in edits]
        if not dry_run:
            last.end(factsedits.settled(base, edits))
            publish_after_change(app, store)
    return effects


def _by_store(app: App, wanted: Sequence[str], scope: str) -> list[tuple[OpenStore, list[Edit]]]:
    left = list(dict.fromkeys(wanted))
    found: list[tuple[OpenStore, list[Edit]]] = []
    for store in app.stores(scope):
        edits = service.edited(store, LastFacts(app, store).text()).edits
        own = [one for one in edits if one.name in left]
        left = [name for name in left if name not in {one.name for one in own}]
        found += [(store, own)] if own else []
    if left:
        raise FactNotFound(name=f"{PREFIX}{left[0]}")
    return found
