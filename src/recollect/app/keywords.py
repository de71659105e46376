"""App: level 0, the keywords of a store in the description of the skill beside it."""

from __future__ import annotations

from contextlib import suppress

from recollect.adapters.clients.claude import skills as client
from recollect.domain import keywords as domain
from recollect.domain.model import Filter
from recollect.errors import RecollectError
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore


class Skill(NamedTuple):
    """The skill of a store: `created`, `changed`, `unchanged`, or `theirs` if it has no place."""

    scope: str
    path: str
    what: str
    keywords: tuple[str, ...] = ()
    is_other: bool = False  # than the one that comes with this version


def skill_beside(root: str, scope: str, lang: str) -> Skill:
    """The skill that a store would get."""
    return Skill(scope, client.path_in(client.folder_beside(root), client.OWN[lang]), "created")


def put_skill(store: OpenStore, *, dry_run: bool) -> Skill:
    """Put the program's skill beside a store, with its keywords; one that is there keeps its words.

    Raises:
        FileNotThere, NotText: a skill cannot be read.
        StorageFailed: the disk refused.
    """
    lang = store.settings.lang
    new = skill_beside(store.files.root, store.scope, lang)
    path, words = new.path, tuple(domain.active_keywords(store.index.entries(Filter())))
    folder = client.folder_beside(store.files.root)
    ours = domain.with_place(client.shipped(lang), lang)
    if path not in client.own_in(folder):
        if not dry_run:
            client.put(folder, client.OWN[lang], domain.with_keywords(ours, words))
        return new._replace(keywords=words)
    theirs = client.text_at(path)
    if not domain.has_line(theirs):
        return new._replace(what="theirs")
    is_other = domain.with_keywords(theirs, ()) != domain.with_keywords(ours, ())
    is_new = domain.with_keywords(theirs, words) != theirs
    if not dry_run:
        client.renew(path, lambda text: domain.with_keywords(text, words))
    return Skill(store.scope, path, "changed" if is_new else "unchanged", words, is_other)


def renew(store: OpenStore) -> None:
    """Bring the keywords up to date in the skills beside a store."""
    with store.files.locked():  # of two processes the one that saw less never writes last
        words = domain.active_keywords(store.index.entries(Filter()))
        for path in client.own_in(client.folder_beside(store.files.root)):
            with suppress(RecollectError, OSError):  # one that we may not change stops nothing else
                client.renew(path, lambda text: domain.with_keywords(text, words))
