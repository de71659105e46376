"""What a new memory contradicts or says again, as far as the index has its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect._fastimport import NamedTuple
from recollect.model import document as codec
from recollect.model import entries, layers
from recollect.model.claim_key import is_near
from recollect.model.facts import same_words
from recollect.model.layers import SHARED
from recollect.model.memory import TRUSTS, is_sealed_path
from recollect.store.store import OpenStore
from recollect.text.tokens import cue_words

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.capture.save_memory import Draft
    from recollect.search.rank import Candidate


class Rival(NamedTuple):
    """A statement that a draft contradicts: a section of a shared file, or a file that says it."""

    id: str
    path: str
    text: str


STATING = ("rule", "pattern", "decision", "fact")


def beside_known(
    store: OpenStore, draft: Draft, choice: layers.LayerChoice, shared: str
) -> tuple[Draft, list[Rival]]:
    """A draft in the words of an entry that says nearly the same, and what it contradicts.

    What it certainly contradicts it may take the place of: nobody trusted more said it.
    """
    if choice.kind not in STATING or draft.conversation:
        return draft, []
    known = list(_near(store, draft))
    return _in_known_words(draft, choice, shared, known), _rivals(draft, shared, known)


def _in_known_words(
    draft: Draft, choice: layers.LayerChoice, shared: str, known: Sequence[tuple[Candidate, str]]
) -> Draft:
    """A draft in the words of an entry of its kind from which only filling words set it apart."""
    said = [
        text
        for one, text in known
        if (one.path == shared if one.anchor else one.kind == choice.kind and one.path != shared)
    ]
    has_own_page = bool(draft.body.strip()) and not shared
    if has_own_page or same_words(draft.title) in map(same_words, said):
        return draft
    near = next((text for text in said if is_near(text, draft.title)), draft.title)
    return draft._replace(title=near)


def _rivals(draft: Draft, shared: str, known: Sequence[tuple[Candidate, str]]) -> list[Rival]:
    from recollect.model.conflicts import conflict_between, keeping_subject  # seldom needed
    from recollect.model.values import SURE

    found, about = [], []
    for one, text in known:
        is_here = one.path == shared if one.anchor else one.kind in STATING and one.path != shared
        if not is_here or TRUSTS.index(draft.trust) < TRUSTS.index(one.trust):
            continue
        conflict = conflict_between(text, draft.title)
        if conflict is None:
            continue
        rival = Rival(one.id, one.path, text)
        if conflict.certainty == SURE:
            found.append(rival)
        elif conflict.why == "choice" and keeping_subject(text, draft.title) != draft.title:
            about.append(rival)  # it says for what, and the draft does not
    # Of two that say for what, nobody knows which one is meant.
    return list(dict.fromkeys(found or (about if len(about) == 1 else [])))


def _near(store: OpenStore, draft: Draft) -> Iterator[tuple[Candidate, str]]:
    """The entries that a draft may contradict, by its words, each with its wording."""
    from recollect.model.values import alternatives

    words = cue_words(draft.title)
    for one in store.index.recall_candidates([*words, *alternatives(draft.title)])[0]:
        text = _wording_of(one) if one.anchor else one.title
        if one.status != "superseded" and not is_sealed_path(one.path):
            yield one, text


def _wording_of(one: Candidate) -> str:
    """What an entry of a page states: its item, or its heading as the line below it is spelt.

    A heading in the index has no underscores: `test_foo.py` is two words there.
    """
    first = one.text.partition("\n")[0].removeprefix("- ")
    is_same = first.replace("_", " ").strip(" .。") == one.heading.replace("_", " ").strip(" .。")
    return first if is_same or one.anchor.startswith("^") else one.heading


def may_contradict(store: OpenStore, draft: Draft) -> bool:
    """Whether something on a page seems to say otherwise than a draft that states something."""
    choice = layers.choose(draft.title, draft.body, draft.layer, draft.kind)
    is_alone = draft.encrypt or draft.private or draft.into or draft.conversation
    if is_alone or choice.kind not in STATING or choice.layer in store.settings.encrypt:
        return False
    from recollect.model.conflicts import conflict_between  # seldom needed

    return any(
        one.layer in ("semantic", "procedural") and conflict_between(text, draft.title)
        for one, text in _near(store, draft)
    )


def with_subject(title: str, rivals: Sequence[Rival]) -> str:
    """The title with what it is about, where only what it takes the place of says so."""
    if not rivals:
        return title
    from recollect.model.conflicts import keeping_subject

    return keeping_subject(rivals[0].text, title)


def listed_above(text: str, path: str, said: str) -> str:
    """The anchor of the item by hand, above the first section of a page of rules, that says this."""
    rows = (
        entries.index_units(codec.memory_from_text(text, path)) if path in SHARED.values() else []
    )
    own = (row for row in rows if not row.within and row.trust == "user")
    return next((row.anchor for row in own if same_words(row.text) == same_words(said)), "")
