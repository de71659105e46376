"""Config: `config.toml` of a store, read with the standard library and edited with its comments.

Promises: an unknown key or a wrong value is named with its file, never ignored in silence; an
edit changes one line; a project's file cannot set what only the person's own may.
Touches: `config.toml` of a store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from recollect import fsio
from recollect.errors import FileNotThere, SettingProblem

Value = str | int | bool


class Setting(NamedTuple):
    """A setting: its default, what it takes, what it is for."""

    default: Value
    choices: tuple[str, ...]
    lowest: int
    highest: int
    about: str


SETTINGS: dict[str, Setting] = {
    "lang": Setting(
        "en", ("en", "zh"), 0, 0, "language of what is written into the store and shown"
    ),
    "capture.enabled": Setting(True, (), 0, 0, "capture sessions at all"),
    "capture.mode": Setting(
        "auto", ("auto", "ask"), 0, 0, "auto: silently from the transcript; ask: ask the agent"
    ),
    "capture.save_interval": Setting(
        5, (), 1, 1000, "with mode ask: tool uses between two requests"
    ),
    "recall.start_tokens": Setting(1500, (), 0, 2200, "budget of the brief at session start"),
    "recall.prompt_tokens": Setting(800, (), 0, 2200, "budget of the notes for a prompt"),
    "recall.error_tokens": Setting(400, (), 0, 2200, "budget of the notes for a failed command"),
    "views.rows": Setting(200, (), 10, 100_000, "rows of the table in MEMORY.md"),
}
FILE = "config.toml"


def path_of(root: str) -> str:
    """The settings file of a store."""
    return os.path.join(root, FILE)


def load(root: str) -> dict[str, Value]:
    """The settings that the file of a store sets. Raises SettingProblem."""
    try:
        text = fsio.read_file(path_of(root)).decode("utf-8")
    except FileNotThere:
        return {}
    except UnicodeDecodeError:
        raise SettingProblem(path=path_of(root), what="it is not UTF-8 text") from None
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return {}
    import tomllib

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingProblem(path=path_of(root), what=str(error)) from None
    found: dict[str, Value] = {}
    for key, value in _flat(tables, ""):
        found[key] = checked(path_of(root), key, value)
    return found


def _flat(table: dict[str, object], before: str) -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def checked(where: str, key: str, value: object) -> Value:
    """`value` if the setting takes it. Raises SettingProblem."""
    setting = SETTINGS.get(key)
    if setting is None:
        raise SettingProblem(
            path=where, what=f"“{key}” is no setting; known are {', '.join(SETTINGS)}"
        )
    if setting.choices and value in setting.choices:
        return str(value)
    if isinstance(setting.default, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(setting.default, int) and (
        isinstance(value, int)
        and not isinstance(value, bool)
        and setting.lowest <= value <= setting.highest
    ):
        return value
    raise SettingProblem(path=where, what=f"{key} takes {takes(setting)}; not {value!r}")


def takes(setting: Setting) -> str:
    """What a setting takes, in words."""
    if setting.choices:
        return " or ".join(setting.choices)
    if isinstance(setting.default, bool):
        return "true or false"
    return f"a number from {setting.lowest} to {setting.highest}"


def parsed(key: str, text: str) -> Value:
    """A value as it is given on the command line. Raises SettingProblem."""
    value: object = text
    if text.lower() in ("true", "false"):
        value = text.lower() == "true"
    elif text.lstrip("-").isdigit():
        value = int(text)
    return checked("config", key, value)


def changed_text(root: str, key: str, value: Value | None) -> tuple[str | None, str]:
    """`(stamp, text)` of the settings file with one key set, or taken out for None."""
    import tomlkit

    path = path_of(root)
    stamp: str | None = None
    text = ""
    try:
        data = fsio.read_file(path)
        stamp, text = fsio.stamp_of(data), data.decode("utf-8")
    except FileNotThere:
        pass
    document = tomlkit.parse(text)
    *tables, name = key.split(".")
    table: dict[str, object] = document
    for part in tables:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]  # type: ignore[assignment]
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    return stamp, tomlkit.dumps(document)
