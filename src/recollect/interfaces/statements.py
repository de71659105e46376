"""Describe in one line what saving a statement did, for tools and commands."""

from __future__ import annotations

from recollect.i18n import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.features.remember import RememberResult

_OUTCOMES = {
    "added": "Added as {id}.",
    "known": "{id} says that already: “{old}”.",
    "merged": "Merged with {id}, which said “{old}”.",
    "amended": "Added to {id}.",
    "replaced": "Replaced: {id} now says “{text}” (was “{old}”).",
    "queued": "Queued as {id}, because it may contradict “{old}”. The person settles it with `recollect conflicts`.",
    "asked": "Queued as {id}: the person said “{old}”, which contradicts it. Ask them which holds; `recollect conflicts` settles it.",
}


def describe_saved(lang: str, done: RememberResult) -> str:
    """Whether it was added, merged, replaced or queued, with the id, and whose word it counts as."""
    outcome = done.what
    if outcome == "merged" and not done.old:
        outcome = "amended"
    if outcome == "queued" and done.by == "user" != done.trust:
        outcome = "asked"
    sentences = [say(lang, _OUTCOMES[outcome], id=done.id, text=done.text, old=done.old)]
    if done.quote == "found":
        sentences.append(say(lang, "It counts as the person's word."))
    if done.quote == "missing":
        sentences.append(
            say(
                lang,
                "The quote is not in what the person typed in this session, so it counts as yours.",
            )
        )
    if done.has_secret:
        sentences.append(say(lang, "A secret was left out of the reason."))
    return " ".join(sentences)
