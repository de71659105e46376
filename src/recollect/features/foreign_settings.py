"""Settings that came with a clone or an archive: they count once the person accepts the store.

Until then their own settings for all projects apply, and the defaults, and what a command has set in
that project on this machine. This is the only place that decides it; whatever reads a settings file
asks `Workspace.file_values`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from recollect.errors import RecollectError, SettingProblem
from recollect.features.repository import believed_in, is_asked
from recollect.store import locations
from recollect.store import settings as config
from recollect.store.files import MarkdownStore
from recollect.store.settings import Value
from recollect.workspace import Finding, Workspace


def is_foreign_file(app: Workspace, root: str) -> bool:
    """Whether the settings file of a project's store came along and was not accepted."""
    return is_asked(app, root) and not _is_believed(app, root)


def _is_believed(app: Workspace, root: str) -> bool:
    known, stamp = believed_in(app, root), None
    with suppress(RecollectError):
        stamp = MarkdownStore(root, "").stamp(config.FILE)
    return known is None or stamp is None or stamp in known


def divided_settings(app: Workspace, root: str) -> tuple[dict[str, Value], dict[str, Value]]:
    """The settings in the file of a project's store that count, and those that do not.

    Of a file that came along and was not accepted, only what a command set on this machine counts.
    Nothing of it may change what an agent is told, what is captured, or how private that is; a
    project that asks for more privacy is no exception, since that can keep notes from the person.
    Raises SettingProblem, except of a file that came along: what stands there is not told either.
    """
    if _is_believed(app, root):
        return config.load(root), {}
    known = believed_in(app, root) or ()
    found: dict[str, Value] = {}
    try:
        found = config.load(root)
    except SettingProblem:
        if not is_asked(app, root):
            raise
    own = {key: v for key, v in found.items() if config.stamp_of_value(key, v) in known}
    return own, {key: value for key, value in found.items() if key not in own}


def believe_setting(app: Workspace, root: str, key: str, value: Value | None) -> bool:
    """Have a setting count that a command set, in whichever file; whether it did not before.

    Its earlier values count no more, and none where the command has taken it out.
    """
    known = believed_in(app, root) if locations.is_doubted(root, app.env) else None
    if known is None:
        return False
    stamp = "" if value is None else config.stamp_of_value(key, value)
    of_key = [one for one in known if one.startswith(config.stamp_of_key(key))]
    known.drop(one for one in of_key if one != stamp)
    if not stamp or stamp in known:
        return False
    is_news = key in divided_settings(app, root)[1]
    known.take([stamp])
    return is_news


def unaccepted_settings(app: Workspace) -> list[str]:
    """What would change if the settings file of the project were accepted, as `key = value`."""
    root = app.roots.get("project", "")
    if not root:
        return []
    with suppress(SettingProblem):
        own = app.own_settings()
        now, foreign = app.values(root), config.narrowed(app.file_values(root)[1], own)
        return [
            f"{key} = {config.shown(value)}" for key, value in foreign.items() if value != now[key]
        ]
    return []


def findings(app: Workspace) -> Iterator[Finding]:
    """That there are settings that do not count."""
    if waiting := unaccepted_settings(app):
        yield Finding.note(
            "store",
            "settings that came with the project and do not count: {settings}; `recollect review --repository accept` accepts them together with its memories",
            settings=", ".join(waiting),
        )
