"""The settings of a store, `config.toml`.

Promises: an unknown key or wrong value is reported with its file. An edit changes one line and
keeps comments. A project's file cannot set what is reserved for the person's own, and one that came
with a clone or an archive sets nothing before it is accepted (`features.repository`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.errors import FileNotThere, RecollectError, SettingProblem, StorageFailed
from recollect.model.memory import CORE, LAYERS
from recollect.store import disk
from recollect.store.store import Settings

Value = str | int | bool


class Setting(NamedTuple):
    """A setting: its default, what it takes, what it is for."""

    default: Value
    about: str
    choices: tuple[str, ...] = ()
    lowest: int = 0
    highest: int = 0


SETTINGS: dict[str, Setting] = {
    "lang": Setting(
        "en", "language of what is written into the store and shown", choices=("en", "zh")
    ),
    "capture.enabled": Setting(True, "capture sessions at all"),
    "capture.mode": Setting(
        "auto",
        "auto: from the transcript, silently; ask: ask the agent to save",
        choices=("auto", "ask"),
    ),
    "capture.save_interval": Setting(
        5, "in mode ask: tool calls between two requests", lowest=1, highest=1000
    ),
    "capture.model": Setting(
        "",
        "model that reads each session once it is over, as PROGRAM or PROGRAM:MODEL; empty: none",
    ),
    "capture.model_calls": Setting(40, "most questions to a model in a day", highest=10_000),
    "capture.model_tokens": Setting(
        200_000, "most tokens to and from a model in a day", highest=100_000_000
    ),
    "recall.start_tokens": Setting(600, "budget of the brief at session start", highest=2200),
    "recall.prompt_tokens": Setting(800, "budget of the notes for a prompt", highest=2200),
    "recall.error_tokens": Setting(400, "budget of the notes for a failed command", highest=2200),
    "recall.announce": Setting(
        True, "show you one line at session start: what the agent was given"
    ),
    "history.keep_changes": Setting(0, "changes that can be undone; 0: all", highest=10_000_000),
    "clients.auto_memory": Setting(
        "alongside",
        "the client's own memory: beside ours, or turned off",
        choices=("alongside", "replace"),
    ),
    "archive.days": Setting(
        14,
        "days after which `recollect archive` takes an inactive conversation",
        lowest=1,
        highest=36_500,
    ),
    "archive.most": Setting(
        20,
        "conversations that `recollect archive` leaves active at once",
        lowest=1,
        highest=100_000,
    ),
    "privacy.personal": Setting(
        False, "redact personal data too: mail addresses, phone numbers, cards, accounts"
    ),
    "review.pulls": Setting(
        "trusted",
        "changes pulled into an accepted store: trusted, or first listed in `recollect review`",
        choices=("trusted", "listed"),
    ),
    "encryption.store": Setting(False, "encrypt everything, in all layers"),
    "encryption.episodic": Setting(False, "encrypt new episodes, including session memories"),
    "encryption.semantic": Setting(False, "encrypt new facts, decisions and issues"),
    "encryption.procedural": Setting(False, "encrypt new rules, solutions and patterns"),
    "encryption.reference": Setting(False, "encrypt new pointers"),
    "views.rows": Setting(200, "rows of the table in MEMORY.md", lowest=10, highest=100_000),
}
# What somebody set for all their projects, the file of one can make narrower and not wider.
_NARROWER: dict[str, Callable[[Value, Value], Value]] = {
    "capture.model": lambda one, other: one if one in ("", other) else other,
    "capture.model_calls": lambda one, other: min(int(one), int(other)),
    "capture.model_tokens": lambda one, other: min(int(one), int(other)),
    "capture.enabled": lambda one, other: one and other,
    "privacy.personal": lambda one, other: one or other,
    "review.pulls": lambda one, other: "listed" if "listed" in (one, other) else other,
} | {key: lambda one, other: one or other for key in SETTINGS if key.startswith("encryption.")}
# Only the person's own file can set these to more than their defaults: a project comes with files of others.
_PERSONS = frozenset({"capture.model", "capture.model_calls", "capture.model_tokens"})
MODEL = "capture.model"
PULLS = "review.pulls"
FILE = "config.toml"
LARGEST = 1024 * 1024  # bytes; each command reads it
MOST_NAMED = 20  # of the lines that are wrong
MOST_DOTS = 100  # in a line: of a key that is none
_NUMBER = Pattern(r"-?[0-9]{1,12}")
_NAME = Pattern(r"(?:[a-z]{1,20}(?::[A-Za-z0-9][\w./:@+-]{0,80})?)?")


def path_of(root: str) -> str:
    """The settings file of a store."""
    return os.path.join(root, FILE)


def load(root: str) -> dict[str, Value]:
    """The settings that the file of a store sets; what `problems` names is left out.

    Raises:
        SettingProblem: the file is no TOML.
    """
    found = {}
    for key, value in _values(path_of(root), _read(root) or ""):
        if key in SETTINGS:
            with suppress(ValueError):
                found[key] = checked(key, value)
    return found


def narrowed(found: Mapping[str, Value], own: Mapping[str, Value]) -> dict[str, Value]:
    """What a project's file sets, but nothing less private than the person's `own` settings."""
    limits = {key: SETTINGS[key].default for key in _PERSONS} | dict(own)
    return {
        key: _NARROWER[key](value, limits[key]) if key in limits and key in _NARROWER else value
        for key, value in found.items()
    }


def encrypted_layers(values: Mapping[str, Value]) -> frozenset[str]:
    """The layers in which everything new is encrypted; `core` stands for the whole store."""
    every = bool(values["encryption.store"])
    named = {layer for layer in LAYERS if every or values[f"encryption.{layer}"]}
    return frozenset(named | {CORE} if every else named)


def as_settings(values: Mapping[str, Value]) -> Settings:
    """The settings that services go by, of the values in force."""
    return Settings(
        lang=str(values["lang"]),
        start_tokens=int(values["recall.start_tokens"]),
        prompt_tokens=int(values["recall.prompt_tokens"]),
        error_tokens=int(values["recall.error_tokens"]),
        announce=bool(values["recall.announce"]),
        capture=bool(values["capture.enabled"]),
        model=str(values["capture.model"]),
        model_calls=int(values["capture.model_calls"]),
        model_tokens=int(values["capture.model_tokens"]),
        view_rows=int(values["views.rows"]),
        archive_days=int(values["archive.days"]),
        archive_most=int(values["archive.most"]),
        keep_changes=int(values["history.keep_changes"]),
        encrypt=encrypted_layers(values),
        lists_pulls=values[PULLS] == "listed",
    )


KEY_DIGITS = 8


def stamp_of_value(key: str, value: Value) -> str:
    """What stands for a setting with its value where it is noted what was set on this machine."""
    return stamp_of_key(key) + disk.stamp_of(f"{key} = {shown(value)}".encode())[KEY_DIGITS:]


def stamp_of_key(key: str) -> str:
    """What the stamps of a setting begin with, whatever its value."""
    return disk.stamp_of(key.encode())[:KEY_DIGITS]


def stamps(root: str) -> list[str]:
    """What stands for the settings file of a store, and for each setting in it: some may change alone."""
    found: list[str] = []
    with suppress(RecollectError):
        found.append(disk.stamp_of(disk.read_inside(root, FILE, LARGEST)))
        found += [stamp_of_value(*one) for one in load(root).items()]
    return found


def problems(root: str, own: Mapping[str, Value] | None = None) -> list[SettingProblem]:
    """The keys of the file that are no setting, and the values that a setting does not take.

    With the person's `own` settings, of a project's file, also what would go beyond them.
    """
    path = path_of(root)
    try:
        text = _read(root) or ""
        values = _values(path, text)
    except SettingProblem as error:
        return [error]
    wrong = [(key, what) for key, value in values if (what := _wrong_in(key, value, own))]
    found = [
        SettingProblem(path=f"{path}:{_line_of(text, key)}", what=what)
        for key, what in wrong[:MOST_NAMED]
    ]
    if more := len(wrong) - len(found):
        found.append(SettingProblem(path=path, what=f"it has more lines that are wrong: {more}"))
    return found


def _wrong_in(key: str, value: object, own: Mapping[str, Value] | None) -> str:
    """Why a setting does not take a value, or not beside the person's own; nothing if it does."""
    try:
        kept = checked(key, value)
    except ValueError as error:
        return str(error)
    kept = kept if own is None else narrowed({key: kept}, own)[key]
    if kept == "" != value:
        return f"{key} is set for all projects only (--scope global)"
    if kept != value:
        return f"{key} stays {shown(kept)}, as you set it for all projects, not “{shown(value)}”"
    return ""


def _read(root: str) -> str | None:
    """The text of the settings file, None where there is none. Raises SettingProblem."""
    path = path_of(root)
    try:
        return disk.read_file(path, LARGEST).decode("utf-8")
    except (FileNotThere, StorageFailed) as error:
        if isinstance(error, StorageFailed) or os.path.lexists(path):
            raise SettingProblem(path=path, what=error.fields["reason"]) from None
        return None
    except UnicodeDecodeError:
        raise SettingProblem(path=path, what="it is not UTF-8 text") from None


def plain_values(text: str) -> dict[str, Value] | None:
    """What a file says that has only what `init` and `config` write: tables, words, numbers, true and false.

    None for any other: the TOML library takes twice as long to load as a search takes to search.
    """
    found: dict[str, Value] = {}
    tables = [""]
    for line in text.split("\n"):
        if not line or (line.startswith("#") and line.isprintable()):
            continue
        if line[0] == "[" and line[-1] == "]" and _is_plain_key(line[1:-1]):
            tables.append(line[1:-1])
            continue
        key, sign, said = line.partition(" = ")
        value = _plain_value(said)
        name = f"{tables[-1]}.{key}" if tables[-1] else key
        if not sign or value is None or not _is_plain_key(key) or name in found:
            return None
        found[name] = value
    twice = len(tables) > len({*tables}) or not found.keys().isdisjoint(tables)
    return None if twice else found


def _is_plain_key(text: str) -> bool:
    return text.isascii() and text.replace("_", "").isalpha()


def _plain_value(text: str) -> Value | None:
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.isdecimal() and len(text) < 13 and str(int(text)) == text:
        return int(text)
    word = text[1:-1]
    if text != f'"{word}"' or not word.isascii():
        return None
    return word if word.isalnum() or not word or _NAME.fullmatch(word) else None


def _values(path: str, text: str) -> Iterable[tuple[str, object]]:
    """Every key of the file with its value. Raises SettingProblem."""
    plain = plain_values(text)
    if plain is not None:
        return list(plain.items())
    import tomllib

    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):  # `tomllib` takes its square
        what = f"it has a line with more than {MOST_DOTS} dots"
        raise SettingProblem(path=path, what=what)
    try:
        return list(_flat(tomllib.loads(text), ""))
    except (ValueError, RecursionError) as error:  # also of a number of too many digits
        raise SettingProblem(path=path, what=f"it is not valid TOML ({error})") from None


def _flat(table: dict[str, object], before: str) -> Iterable[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _line_of(text: str, key: str) -> int:
    """The line in which a key is set."""
    import re  # only for what is wrong

    name = re.escape(key.rpartition(".")[2])
    found = re.search(rf"^[ \t]*(?:[\w\"'-]+\.)*[\"']?{name}[\"']?[ \t]*=", text, re.M)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def checked(key: str, value: object) -> Value:
    """`value` if the setting takes it. Raises ValueError with a sentence without its full stop."""
    setting = SETTINGS.get(key)
    if setting is None:
        raise ValueError(f"“{key}” is not a setting; the settings are {', '.join(SETTINGS)}")
    if setting.choices and value in setting.choices:
        return str(value)
    if setting.default == "" and isinstance(value, str) and _NAME.fullmatch(value):
        return value
    if isinstance(setting.default, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(setting.default, int) and (
        isinstance(value, int)
        and not isinstance(value, bool)
        and setting.lowest <= value <= setting.highest
    ):
        return value
    raise ValueError(f"{key} must be {takes(setting)}, not “{shown(value)}”")


def takes(setting: Setting) -> str:
    """What a setting takes, in a form that every language reads."""
    if setting.choices:
        return " | ".join(setting.choices)
    if isinstance(setting.default, bool):
        return "true | false"
    if isinstance(setting.default, str):
        return "PROGRAM[:MODEL]"
    return f"{setting.lowest}…{setting.highest}"


def shown(value: object) -> str:
    """A value as it is given on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parsed(key: str, text: str) -> Value:
    """A value as it is given on the command line. Raises ValueError."""
    value: object = text
    if text.lower() in ("true", "false"):
        value = text.lower() == "true"
    elif _NUMBER.fullmatch(text):
        value = int(text)
    return checked(key, value)


def changed_text(root: str, key: str, value: Value | None) -> tuple[str | None, str]:
    """`(stamp, text)` of the settings file with one key set, or taken out for None.

    Raises:
        SettingProblem: the file is not valid, so that no line of it can be changed safely.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = path_of(root)
    old = _read(root)
    stamp = None if old is None else disk.stamp_of(old.encode("utf-8"))
    text = old or ""
    _values(path, text)
    try:
        document = tomlkit.parse(text)
        _put(document, key.split("."), value)
        new = tomlkit.dumps(document)
    except (TOMLKitError, TypeError, RecursionError) as error:
        raise SettingProblem(path=path, what=f"it is not valid TOML ({error})") from None
    return stamp, new


def _put(table: Any, keys: list[str], value: Value | None) -> None:
    import tomlkit

    first, *rest = keys
    if not rest:
        if value is None:
            table.pop(first, None)
        else:
            table[first] = value
        return
    if first not in table:
        if value is None:
            return
        table[first] = tomlkit.table()
    _put(table[first], rest, value)
    if value is None and not table[first] and not tomlkit.dumps(table[first]).strip():
        del table[first]  # it has no comment of a person either
