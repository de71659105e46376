"""The pages that are made from the code say what the code does."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.cli.running import Person

import recollect
from recollect.errors import every_error
from recollect.interfaces.cli.main import FULL_NAMES, GROUPS
from recollect.store.settings import SETTINGS

DOCS = Path(recollect.__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The script that makes the pages."""
    spec = importlib.util.spec_from_file_location("make_docs", DOCS / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_as_the_code_says() -> None:
    ran = subprocess.run(
        [sys.executable, DOCS / "make.py", "--check"],
        env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_a_page_that_was_changed_is_named_and_mended(
    make: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(make, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["make.py", "--check"])
    assert make.main() == 1
    assert "commands.md, commands.zh.md, errors.md, settings.md" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "argv", ["make.py"])
    assert make.main() == 0
    (tmp_path / "errors.md").write_text("other")
    monkeypatch.setattr(sys, "argv", ["make.py", "--check"])
    assert make.main() == 1
    assert "errors.md" in capsys.readouterr().err


def test_every_command_setting_and_error_appears(make: ModuleType) -> None:
    pages = make.pages()
    for rows in GROUPS.values():
        for name, module, about in rows:
            assert f"## {FULL_NAMES.get(name, name)}\n" in pages["commands.md"], module
            assert about in pages["commands.md"]
    for key, setting in SETTINGS.items():
        assert f"| `{key}` |" in pages["settings.md"]
        assert setting.about in pages["settings.md"]
    for error in every_error()[1:]:
        assert f"| `{error.kind}` | {error.exit_code} |" in pages["errors.md"]


def test_every_exit_code_has_a_row(make: ModuleType) -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", make.errors_page(), re.M)}
    assert {error.exit_code for error in every_error()} <= codes


def _shape(value: Any) -> Any:
    """The keys and types of a value."""
    if isinstance(value, dict):
        return {key: _shape(inner) for key, inner in value.items()}
    return [_shape(value[0])] if isinstance(value, list) else type(value)


def test_the_shapes_are_those_of_the_answers(make: ModuleType, person: Person) -> None:
    saved = person.ok(
        "save", "Event store", "--kind", "decision", "--body", "JSONB.", "--json"
    ).json
    found = person.ok("search", "event", "store", "--json").json
    recalled = person.ok("recall", "event", "store", "--json").json
    for item in recalled["items"]:
        item["parts"] = {key: item["parts"][key] for key in ("text", "salience", "confidence")}
    for name, answer in (("save", saved), ("search", found), ("recall", recalled)):
        documented = json.loads(make.SHAPES[name])
        assert _shape(documented) == _shape(answer), name
        assert list(documented) == list(answer), name
    error = json.loads(make.ERROR_SHAPE)
    assert _shape(error) == _shape(person.run("show", "nothing", "--json").json)
