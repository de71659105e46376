"""Declare commands and options, and parse arguments.

Accepts and refuses what Click does, in its words, without loading it; `tests/cli/test_parsing.py`
compares the two. `help` makes Click commands from the same declarations (docs/adr/0047).
"""

from __future__ import annotations

import os

from recollect.errors import UsageProblem

TYPE_CHECKING = False  # every command loads this: as little as can be
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Function = Callable[..., Any]


class Choice:
    """A value that is one of a few words."""

    def __init__(self, choices: Sequence[str]) -> None:
        """With the words in the order of the help."""
        self.choices = tuple(choices)

    def convert(self, text: str) -> str:
        """The word. Raises ValueError."""
        if text in self.choices:
            return text
        known = ", ".join(map(repr, self.choices))
        if len(self.choices) == 1:
            raise ValueError(f"{text!r} is not {known}.")
        raise ValueError(f"{text!r} is not one of {known}.")


class IntRange:
    """A whole number, between two or from one on."""

    def __init__(self, min: int, max: int | None = None) -> None:  # noqa: A002 - click's names
        """With the lowest and the highest number."""
        self.min, self.max = min, max

    def convert(self, text: str) -> int:
        """The number. Raises ValueError."""
        try:
            number = int(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a valid integer range.") from None
        if number < self.min or (self.max is not None and number > self.max):
            span = f"x>={self.min}" if self.max is None else f"{self.min}<=x<={self.max}"
            raise ValueError(f"{number} is not in the range {span}.")
        return number


class FilePath:
    """The path of a file, as it was typed."""

    def convert(self, text: str) -> str:
        """The path."""
        return text


class FolderPath:
    """The path of a folder that is there, or may not be there yet."""

    def __init__(self, *, exists: bool = False) -> None:
        """`exists` asks for one that is there."""
        self.exists = exists

    def convert(self, text: str) -> str:
        """The path. Raises ValueError."""
        if self.exists:
            if not os.path.isdir(text):
                raise ValueError(f"Directory '{text}' does not exist.")
            return text
        if os.path.isfile(text):
            raise ValueError(f"Directory {text!r} is a file.")
        if os.path.exists(text) and not os.access(text, os.R_OK):
            raise ValueError(f"Directory {text!r} is not readable.")
        return text


Kind = Choice | IntRange | FilePath | FolderPath | None  # None: any text


class Parameter:
    """An option (with `flags`) or an argument of a command."""

    def __init__(
        self,
        names: Sequence[str],
        *,
        type: Kind | tuple[Kind, ...] = None,  # noqa: A002 - click's name
        default: object = None,
        is_flag: bool = False,
        is_eager: bool = False,
        multiple: bool = False,
        required: bool = False,
        nargs: int = 1,
        metavar: str | None = None,
        show_default: bool = False,
        shell_complete: Function | None = None,
        help: str = "",  # noqa: A002 - click's name
    ) -> None:
        """`nargs` -1 takes all words that are left; an eager flag lets all else be."""
        self.flags = [name for name in names if name.startswith("-")]
        plain = [name for name in names if not name.startswith("-")]
        longest = max(self.flags, key=lambda flag: flag.startswith("--"), default="")
        self.name = plain[0] if plain else longest.strip("-").replace("-", "_")
        self.type, self.nargs, self.metavar, self.help = type, nargs, metavar, help
        self.is_flag, self.is_eager, self.multiple = is_flag, is_eager, multiple
        self.required, self.show_default, self.shell_complete = (
            required,
            show_default,
            shell_complete,
        )
        empty = False if is_flag else () if multiple or nargs < 0 else None
        self.default = empty if default is None else default

    def value_of(self, given: Sequence[Any]) -> Any:
        """Its value, given what was said each time that it was named. Raises ValueError."""
        if self.is_flag:
            return True
        if self.multiple:
            return tuple(self._converted(one, self.type) for one in given)
        last = given[-1]
        if self.nargs == 1:
            return self._converted(last, self.type)
        kinds = self.type if isinstance(self.type, tuple) else (self.type,) * len(last)
        return tuple(map(self._converted, last, kinds))

    @staticmethod
    def _converted(text: Any, kind: Any) -> Any:
        return kind.convert(text) if kind else text

    @property
    def hint(self) -> str:
        """How an error names it."""
        if self.flags:
            return " / ".join(f"'{flag}'" for flag in self.flags)
        if self.metavar:
            return f"'{self.metavar}'"
        choices = self.type.choices if isinstance(self.type, Choice) else ()
        shown = f"{{{'|'.join(choices)}}}" if choices else self.name.upper()
        shown = shown if self.required else f"[{shown.strip('{}')}]"
        return f"'{shown}...'" if self.nargs != 1 else f"'{shown}'"

    @property
    def missing(self) -> str:
        """What an error says is missing."""
        text = f"{'option' if self.flags else 'argument'} {self.hint}."
        if isinstance(self.type, Choice):
            text += " Choose from:\n\t" + ",\n\t".join(self.type.choices)
        return text


HELP = Parameter(["-h", "--help"], is_flag=True, is_eager=True, help="Show this message and exit.")


def option(*names: str, **more: Any) -> Callable[[Function], Function]:
    """Give the function below an option; its value comes by the name of the longest flag."""
    return lambda function: _with(function, Parameter(names, **more))


def argument(
    name: str, *, required: bool | None = None, **more: Any
) -> Callable[[Function], Function]:
    """Give the function below an argument, required unless it has a default or takes all that is left."""
    if required is None:
        required = more.get("default") is None and more.get("nargs", 1) > 0
    return lambda function: _with(function, Parameter([name], required=required, **more))


def _with(function: Function, one: Parameter) -> Function:
    function.__dict__.setdefault("parameters", []).insert(0, one)
    return function


class Command:
    """A command: its name, its parameters, its help, and what to run with the values."""

    def __init__(self, name: str, run: Function, about: str, parameters: list[Parameter]) -> None:
        """`run` takes the folder that the program was told to run in, and the values by name."""
        self.name, self.run, self.about, self.parameters = name, run, about, parameters

    def parsed(self, words: Sequence[str]) -> dict[str, Any]:
        """The values that these words give. Raises UsageProblem."""
        try:
            return parsed([*self.parameters, HELP], words)[0]
        except ValueError as error:
            raise UsageProblem(what=str(error), command=self.name) from None


def parsed(
    parameters: Sequence[Parameter], words: Sequence[str], *, until_plain: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The values that words give to parameters, and the words that are left. Raises ValueError.

    Of an eager flag only that is given back. `until_plain` stops at the first word that is neither
    an option nor a value of one, and leaves it; else no word may be left.
    """
    given, rest = _told_apart(parameters, words, until_plain=until_plain)
    for one in given:
        if one.is_eager:
            return {one.name: True}, rest
    if not until_plain:
        rest = _handed_out([one for one in parameters if not one.flags], rest, given)
    values = {one.name: one.default for one in parameters if not one.is_eager}
    for one, said in given.items():
        try:
            values[one.name] = one.value_of(said)
        except ValueError as error:
            raise ValueError(f"Invalid value for {one.hint}: {error}") from None
    for one in parameters:
        if one.required and one not in given:
            raise ValueError(f"Missing {one.missing}")
    if len(rest) == 1 and not until_plain:
        raise ValueError(f"Got unexpected extra argument ({rest[0]})")
    if rest and not until_plain:
        raise ValueError(f"Got unexpected extra arguments ({' '.join(rest)})")
    return values, rest


def _told_apart(
    parameters: Sequence[Parameter], words: Sequence[str], *, until_plain: bool
) -> tuple[dict[Parameter, list[Any]], list[str]]:
    """The options with what was said for each, in their order, and all other words."""
    options = {flag: one for one in parameters for flag in one.flags}
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
        if flag.startswith("--") or (flag in options and len(flag) > 2):
            _require_known(flag, options)
            if sign and options[flag].is_flag:
                raise ValueError(f"Option {flag!r} does not take a value.")
            left += [value] * bool(sign)
            given.setdefault(options[flag], []).append(_value(options[flag], flag, left))
            continue
        for flag in _short_ones(word, options, left):
            given.setdefault(options[flag], []).append(_value(options[flag], flag, left))
    return given, plain + left[::-1]


def _short_ones(word: str, options: dict[str, Parameter], left: list[str]) -> Iterator[str]:
    """The flags of one letter in a word such as `-hC.`; what stands behind one that takes a value is left."""
    for at in range(1, len(word)):
        flag = f"-{word[at]}"
        if flag not in options:
            raise ValueError(f"No such option: {flag}")
        has_value = not options[flag].is_flag and word[at + 1 :]
        if has_value:
            left.append(word[at + 1 :])
        yield flag
        if has_value:
            return


def _value(one: Parameter, flag: str, left: list[str]) -> Any:
    """What was said for an option, taken off the words that are left, the next of them last."""
    if one.is_flag:
        return True
    if len(left) < one.nargs:
        if one.nargs == 1:
            raise ValueError(f"Option {flag!r} requires an argument.")
        raise ValueError(f"Option {flag!r} requires {one.nargs} arguments.")
    said = tuple(left.pop() for _ in range(one.nargs))
    return said[0] if one.nargs == 1 else said


def _handed_out(
    arguments: Sequence[Parameter], words: list[str], given: dict[Parameter, list[Any]]
) -> list[str]:
    """Hand words to the arguments in their order; gives those that are left."""
    for one in arguments:
        if one.nargs < 0 and words:
            given[one] = [tuple(words)]
            words = []
        elif words:
            given[one] = [words[0]]
            words = words[1:]
    return words


def _require_known(flag: str, options: dict[str, Parameter]) -> None:
    """Raises ValueError, which names options that are spelt nearly so."""
    if flag in options:
        return
    from difflib import get_close_matches  # only for a slip

    near = sorted(get_close_matches(flag, [one for one in options if one.startswith("--")]))
    if len(near) == 1:
        raise ValueError(f"No such option: {flag} Did you mean {near[0]}?")
    if near:
        raise ValueError(f"No such option: {flag} (Possible options: {', '.join(near)})")
    raise ValueError(f"No such option: {flag}")
