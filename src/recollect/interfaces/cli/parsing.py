"""Declare the options and arguments of commands, and parse words by them.

Accepts and refuses what Click does without loading it; `tests/cli/test_parsing.py` compares the two
(docs/adr/0047). Only flags of one letter cannot be joined. Messages are English; `locale/zh.toml` has
their Chinese.
"""

from __future__ import annotations

import os

from recollect._fastimport import Any, NamedTuple, Sequence

NEAR = 0.65  # --reason is no slip of --json


class Choice(NamedTuple):
    """One of a few words, in the order of the help."""

    choices: Sequence[str]

    def convert(self, text: str) -> str:
        """The word; it may be given as lists show it in Chinese. Raises ValueError."""
        if not text.isascii():
            from recollect.i18n import english_of  # seldom needed

            text = english_of(text, self.choices)
        if text not in self.choices:
            raise ValueError(f"“{text}” is not one of {', '.join(self.choices)}.")
        return text


class IntRange(NamedTuple):
    """A whole number from `low` to `high`, both included, or without an upper limit."""

    low: int
    high: int | None = None

    def convert(self, text: str) -> int:
        """The number. Raises ValueError."""
        try:
            number = int(text)
        except ValueError:
            raise ValueError(f"“{text}” is not a whole number.") from None
        if number < self.low or (self.high is not None and number > self.high):
            raise ValueError(f"{number} is out of range ({self}).")
        return number

    def __str__(self) -> str:
        return f"≥ {self.low}" if self.high is None else f"{self.low}–{self.high}"


class FolderPath(NamedTuple):
    """The path of a folder, which has to exist if `exists` is set."""

    exists: bool = False

    def convert(self, text: str) -> str:
        """The path. Raises ValueError."""
        if self.exists and not os.path.isdir(text):
            raise ValueError(f"there is no folder “{text}”.")
        if os.path.isfile(text):
            raise ValueError(f"“{text}” is a file.")
        if not self.exists and os.path.exists(text) and not os.access(text, os.R_OK):
            raise ValueError(f"“{text}” is not readable.")
        return text


class Text(NamedTuple):
    """Any text; `metavar` stands for it in the help."""

    metavar: str

    def convert(self, text: str) -> str:
        """The text itself."""
        return text


TEXT, PATH, SETTING = Text("TEXT"), Text("PATH"), Text("KEY")
ID = Text("ID")  # of a memory or an entry; a command gets the full id
Kind = Choice | IntRange | FolderPath | Text


class Parameter:
    """An option (with `flags`) or an argument of a command."""

    def __init__(
        self,
        names: Sequence[str],
        *,
        type: Kind | list[Kind] = TEXT,  # noqa: A002 - the usual name
        default: object = ...,
        is_flag: bool = False,
        is_eager: bool = False,
        multiple: bool = False,
        required: bool = False,
        nargs: int = 1,
        metavar: str = "",
        help: str = "",  # noqa: A002 - the usual name
    ) -> None:
        """`nargs` -1 takes all words that are left; an eager flag makes all other words irrelevant."""
        self.flags = [name for name in names if name.startswith("-")]
        plain = [name for name in names if not name.startswith("-")]
        longest = max(self.flags, key=lambda flag: flag.startswith("--"), default="")
        self.name = plain[0] if plain else longest.strip("-").replace("-", "_")
        self.type, self.nargs, self.metavar, self.help = type, nargs, metavar, help
        self.is_flag, self.is_eager, self.multiple = is_flag, is_eager, multiple
        self.required = required
        self.has_default = default not in (..., None)  # one that the help names
        if default is ...:
            is_list, has_none = multiple or nargs < 0, nargs > 1 or isinstance(type, IntRange)
            default = False if is_flag else () if is_list else None if has_none else ""
        self.default = default

    def value_of(self, given: Sequence[Any]) -> Any:
        """The value for what was given each time the parameter occurred. Raises ValueError."""
        if self.is_flag:
            return True
        if isinstance(self.type, list):
            return tuple(
                kind.convert(text) for kind, text in zip(self.type, given[-1], strict=True)
            )
        if self.multiple or self.nargs < 0:
            return tuple(map(self.type.convert, given if self.multiple else given[-1]))
        return self.type.convert(given[-1])

    @property
    def hint(self) -> str:
        """The name of the parameter in usage lines and errors."""
        if self.flags or self.metavar:
            return self.flags[-1] if self.flags else self.metavar
        word = "ID" if self.type is ID else self.name.upper()
        if isinstance(self.type, Choice):
            word = "|".join(self.type.choices)
            return f"{{{word}}}" if self.required else f"[{word}]"
        return f"{word if self.required else f'[{word}]'}{'...' if self.nargs < 0 else ''}"


def option(*names: str, **more: Any) -> Parameter:
    """An option; its value has the name of the longest flag, or the name without dashes."""
    return Parameter(names, **more)


def flag(*names: str, **more: Any) -> Parameter:
    """An option without a value."""
    return Parameter(names, is_flag=True, **more)


def argument(name: str, **more: Any) -> Parameter:
    """An argument, required unless it says otherwise, has a default or takes all that is left."""
    required = "default" not in more and more.get("nargs", 1) > 0
    return Parameter([name], **{"required": required, **more})


HELP = flag("-h", "--help", is_eager=True, help="Show this message and exit.")


def parse(
    parameters: Sequence[Parameter], words: Sequence[str], *, until_plain: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The values by name, and the words that are left. Raises ValueError.

    With an eager flag among the words only that is returned. `until_plain` stops at the first word
    that is neither an option nor a value of one; without it no word may be left.
    """
    given, rest = _split(parameters, words, until_plain=until_plain)
    for one in given:
        if one.is_eager:
            return {one.name: True}, rest
    if not until_plain:
        rest = _assign([one for one in parameters if not one.flags], rest, given)
    values = {one.name: one.default for one in parameters if not one.is_eager}
    for one, texts in given.items():
        try:
            values[one.name] = one.value_of(texts)
        except ValueError as error:
            raise ValueError(f"Invalid value for {one.hint}: {error}") from None
    for one in parameters:
        if one.required and one not in given:
            raise ValueError(f"{one.hint} is missing.")
    if rest and not until_plain:
        words = " ".join(rest)
        if any(one.type is TEXT for one in parameters if not one.flags):
            raise ValueError(f"Unexpected words: {words}. Put a text of several words in quotes.")
        raise ValueError(f"Unexpected words: {words}")
    return values, rest


def _assign(
    arguments: Sequence[Parameter], words: list[str], given: dict[Parameter, list[Any]]
) -> list[str]:
    """Give words to the arguments in their order; returns those that are left."""
    for one in arguments:
        if words:
            taken = len(words) if one.nargs < 0 else 1
            given[one], words = [words if one.nargs < 0 else words[0]], words[taken:]
    return words


def _split(
    parameters: Sequence[Parameter], words: Sequence[str], *, until_plain: bool
) -> tuple[dict[Parameter, list[Any]], list[str]]:
    """The options with what was given for each, in their order, and all other words."""
    options = {flag: one for one in parameters for flag in one.flags}
    takes_text = any(one.type is TEXT for one in parameters if not one.flags)
    given: dict[Parameter, list[Any]] = {}
    plain: list[str] = []
    left = list(reversed(words))
    while left:
        word = left.pop()
        if word == "--":
            break
        if word[:1] != "-" or word == "-":
            if until_plain:
                left.append(word)
                break
            plain.append(word)
            continue
        flag, sign, value = word.partition("=")
        if not word.startswith("--"):  # `-C.` is `-C .`
            flag, sign, value = word[:2], word[2:], word[2:]
        _require_known(flag, options, takes_text=takes_text)
        if sign and options[flag].is_flag:
            raise ValueError(f"{flag} takes no value.")
        left += [value] * bool(sign)
        given.setdefault(options[flag], []).append(_pop_value(options[flag], flag, left))
    return given, plain + left[::-1]


def _pop_value(one: Parameter, flag: str, left: list[str]) -> Any:
    """The value of an option, taken off the words that are left; the next word is the last."""
    if one.is_flag:
        return True
    if len(left) < one.nargs:
        if one.nargs == 1:
            raise ValueError(f"{flag} needs a value.")
        raise ValueError(f"{flag} needs {one.nargs} values.")
    values = tuple(left.pop() for _ in range(one.nargs))
    return values[0] if one.nargs == 1 else values


def _require_known(flag: str, options: dict[str, Parameter], *, takes_text: bool) -> None:
    """Raise ValueError for an unknown option; the message names similar ones."""
    if flag in options:
        return
    from difflib import get_close_matches  # only for a slip

    known = [one for one in options if one.startswith("--")] if flag.startswith("--") else []
    if near := sorted(get_close_matches(flag, known, cutoff=NEAR)):
        raise ValueError(f"There is no option {flag}. Did you mean {', '.join(near)}?")
    if takes_text:
        raise ValueError(f"There is no option {flag}. If you mean the word, write `-- {flag}`.")
    raise ValueError(f"There is no option {flag}.")
