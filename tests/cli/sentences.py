"""What the program can say, collected from the syntax trees of its source."""

from __future__ import annotations

import ast
import errno
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import recollect
from recollect.errors import SettingProblem, every_error
from recollect.model import layers, memory
from recollect.model.memory import LEVELS
from recollect.store import history as undoing
from recollect.store.settings import SETTINGS

SOURCE = Path(recollect.__file__).parent
PACKAGES = Path(__file__).parents[2] / "packages"  # what they say is translated with ours
FIELD = re.compile(r"\{(\w*)(?:[:!][^}]*)?\}")

# What is said through a variable: the words that it can hold.
VARIABLE = {
    "created",
    "changed",
    "moved",
    "removed",  # services.undoing: what a change did
    "default",  # app.setup: where a setting was set
    "project",
    "global",  # the scopes
    "git history",  # app.leaks: where a purged text may still be
    "the client's own log",
    "lines that came from it",
    "still mentions it",  # app.sealing: where the name of an encrypted memory still stands
    *(undoing.EDITED, undoing.PURGED),  # why `undo --to` leaves a file
    *(setting.about for setting in SETTINGS.values()),
    *layers._NAMES.values(),
    *(*memory.KINDS, *memory.LAYERS, *memory.STATUSES, *memory.SOURCES, *memory.TRUSTS),
    memory.ENDED,
    *LEVELS,
}
# Where such a variable stands, and where a function hands on what it is given.
SAID_BY_NAME = {
    "interfaces/cli/demo.py": {"sentence"},
    "interfaces/cli/command.py": {"sentence", "would", "did", "head", "name", "what"},
    "interfaces/mcp/answers.py": {"error.sentence", "error.next_step"},
}
# Sentences that no pattern of syntax finds: returned, or appended to a list of another name.
BUILT_OTHERWISE = {
    "its answer cannot be read",
    "{key} is set for all projects only (--scope global)",
    "{key} stays {kept}, as you set it for all projects, not “{value}”",
    "is not an encrypted memory as described in docs/format.md",
    "The index was damaged; it was moved aside and rebuilt.",
    "Codex runs hooks only when you trust them: start it, and say so at `/hooks`.",
    "another process",
    "process {number}",
    "the front matter has no closing `---` within {size} KB",
    "the front matter is nested too deeply",
    "the front matter is not a list of `key: value` lines",
    "the front matter is not valid YAML",
    "the front matter is not valid YAML in line {n}",
    "the front matter is too large for anything but `key: value` lines",
    "the front matter uses YAML anchors, aliases or tags, which are not read",
}
# Modules that say what `doctor` found.
FINDINGS = (
    "features/foreign_settings.py",
    "features/auto_memory.py",
    "features/embedding.py",
    "features/review.py",
    "ops/doctor.py",
    "features/repository.py",
    "features/encrypt.py",
    "privacy/purge.py",
    "ops/environment_checks.py",
)
# Modules whose functions give a sentence for each finding.
FINDERS = ("search/index_write.py",)
# `f"{error} {error.next_step}"`, as warnings are made of errors.
WARNING = f"{SettingProblem.sentence} {SettingProblem.next_step}"
OF_THE_SYSTEM = {
    os.strerror(number)
    for number in (
        errno.ENOSPC,
        errno.EACCES,
        errno.EROFS,
        errno.EDQUOT,
        errno.EIO,
        errno.EISDIR,
        errno.ENOTDIR,
        errno.ENAMETOOLONG,
        errno.EMFILE,
    )
}
# The fields of an error, and the arguments, in which a ready-made sentence is handed up.
PHRASES = ("what", "reason", "where", "who")


def source() -> str:
    """The text of every module of the program."""
    return "\n".join(path.read_text("utf-8") for _, path in _modules())


@cache
def trees() -> list[tuple[str, ast.Module]]:
    """Every module of the program: `(path, tree)`."""
    return [(name, ast.parse(path.read_text("utf-8"))) for name, path in _modules()]


def _modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield str(path.relative_to(SOURCE)), path
    for path in sorted(PACKAGES.glob("*/src/**/*.py")):
        yield str(path.relative_to(PACKAGES)), path


@cache
def said() -> set[str]:
    """The templates that interfaces print, and the words that stand for themselves."""
    found = set(VARIABLE)
    for error in every_error():
        found |= {error.sentence, error.next_step}
    for path, tree in trees():
        if (
            not path.startswith(
                (
                    "interfaces/cli/",
                    "interfaces/mcp/",
                    "features/remember",
                    "features/skills",
                    "features/statistics",
                )
            )
            and path not in FINDINGS
        ):
            continue
        dicts = _dicts_of(tree)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for node in _said_in(call):
                found |= _texts(node, dicts, path)
        for one in ast.walk(tree):  # the heads of a table that do not fit into its call
            if not (isinstance(one, ast.Assign) and isinstance(one.value, ast.Tuple)):
                continue
            if _name_of(one.targets[0]) == "heads":
                found |= set(ast.literal_eval(one.value))
    return found - {""}


def _said_in(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that are said to a person."""
    name = _name_of(call.func)
    of_context = ("table", "pairs", "tell_change", "progress")
    dotted = ast.unparse(call.func) if name in of_context else ""
    if dotted == "ctx.table":
        assert isinstance(call.args[0], ast.Tuple) or ast.unparse(call.args[0]) == "heads"
        return call.args[0].elts if isinstance(call.args[0], ast.Tuple) else []
    if dotted == "ctx.pairs":
        assert isinstance(call.args[0], ast.Dict)
        return [key for key in call.args[0].keys if key]
    if dotted in ("ctx.tell_change", "ctx.progress"):
        return call.args
    if name in ("say", "tell", "hint", "_heading"):
        return call.args[:1] if isinstance(call.func, ast.Attribute) else call.args[1:2]
    if ast.unparse(call.func).startswith("Finding."):
        return call.args if isinstance(call.args[0], ast.Constant) else call.args[1:]
    return []


def _texts(node: ast.expr, dicts: dict[str, list[ast.expr]], path: str) -> set[str]:
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return _texts(node.body, dicts, path) | _texts(node.orelse, dicts, path)
    if isinstance(node, ast.Subscript) and _name_of(node.value) in dicts:
        values = dicts[_name_of(node.value)]
        return {text for value in values for text in _texts(value, dicts, path)}
    if ast.unparse(node) in SAID_BY_NAME.get(path, ()):
        return set()
    raise AssertionError(f"{path}:{node.lineno} says what no test can collect: {ast.unparse(node)}")


def _dicts_of(tree: ast.Module) -> dict[str, list[ast.expr]]:
    return {
        _name_of(node.targets[0]): node.value.values
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


# ------------------------------------------------------------------------------ ready-made ones


@cache
def ready_made() -> set[str]:
    """The sentences that come up from below with their fields filled in, as patterns.

    A field is `{}`, whatever was filled in there.
    """
    found = {pattern_of(text) for text in (*BUILT_OTHERWISE, WARNING, *OF_THE_SYSTEM)}
    for path, tree in trees():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for inner in ast.walk(function):
                if isinstance(inner, ast.Yield) and inner.value and path in FINDERS:
                    found |= _patterns(inner.value, function)
                for node in _handed_up_by(inner) if isinstance(inner, ast.Call) else ():
                    found |= _patterns(node, function)
    return {text for text in found if has_words(text)}


def has_words(template: str) -> bool:
    """Whether there is anything to translate besides the fields."""
    return bool(re.search(r"[A-Za-z]{2}", FIELD.sub("", template)))


def _handed_up_by(call: ast.Call) -> list[ast.expr]:
    name = _name_of(call.func)
    if name == "lock" or (name and name[0].isupper() and name not in ("Problem", "ValueError")):
        return [k.value for k in call.keywords if k.arg in PHRASES]
    if name == "Problem":
        return call.args[1:2]  # none, where a row of the index is read back
    if name == "require_person":
        return call.args[2:]
    if name == "append" and ast.unparse(call.func).endswith(
        ("problems.append", "warnings.append", "news.append")
    ):
        return call.args
    if name == "confirm":
        return call.args[1:]
    return call.args if name in ("ValueError", "usage_error") else []


def _patterns(node: ast.expr, function: ast.FunctionDef) -> set[str]:
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.JoinedStr):
        parts = (str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        return {"".join(parts)}
    if isinstance(node, ast.IfExp):
        return _patterns(node.body, function) | _patterns(node.orelse, function)
    if isinstance(node, ast.Name):
        assigned = (n for n in ast.walk(function) if isinstance(n, ast.Assign))
        values = [a.value for a in assigned if _name_of(a.targets[0]) == node.id]
        return {text for value in values for text in _patterns(value, function)}
    return set()


def pattern_of(template: str) -> str:
    """A template with its fields as `{}`."""
    return FIELD.sub("{}", template)


def fields_of(template: str) -> list[str]:
    """The names of the fields of a template, in order."""
    return sorted(FIELD.findall(template))
