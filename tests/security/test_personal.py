"""What tells of people is taken out where somebody asks for it, and only there."""

from __future__ import annotations

import random

import pytest
from bench.secrets_benign import benign_lines
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import Person

from recollect.text.redact import redact

from .ways import WAYS, bytes_kept

# Numbers as banks and states publish them for tests.
PERSONAL = {
    "mail": ["ada.lovelace@analytical.engine.io", "zhang_wei+tea@qq.com", "a@b.co"],
    "phone": ["+49 30 901820-10", "+1 (415) 555-0132", "0033 1 42 68 53 00", "13812345678", "(415) 555-0132"],
    "account": ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "FR1420041010050500013M02606"],
    "card": ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"[:0] + "6011111111111117"],
    "identity": ["11010519491231002X"],
}  # fmt: skip
ROWS = [(kind, text) for kind, texts in PERSONAL.items() for text in texts]
OTHERS = """
git@github.com:acme/teapot.git
user@example.com and noreply@github.com
root@db.internal: Permission denied
npm install left-pad@1.3.0 @types/node@20.1.2
2026-01-11T14:30:00Z took 1234567890 ns, 1768141800000 ms
version 10.0.19045.3803 of 4111111111111112
DE00370400440532013000 is no account, 4111 1111 1111 1112 no card
3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
550e8400-e29b-41d4-a716-446655440000
192.168.100.200:8080 and 0x7fff5fbff8c0
port 13812345678901 of 110105194912310021
@app.route("/x") def f(a@b): pass
""".strip().splitlines()


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("kind", "text"), ROWS)
@pytest.mark.parametrize("carrier", ["{}", "it is {}, ok", "联系{}吧", '"{}"', "x\n{}\ny", "({})"])
def test_what_is_personal_goes_if_it_is_asked_for(kind: str, text: str, carrier: str) -> None:
    said = carrier.replace("{}", text)
    assert redact(said) == said
    clean = redact(said, b"key", personal=True)
    assert text not in clean
    assert f"[redacted:{kind}:" in clean
    assert redact(clean, b"key", personal=True) == clean


@pytest.mark.parametrize("line", OTHERS)
def test_what_only_looks_like_it_stays(line: str) -> None:
    assert redact(line, personal=True) == line


@pytest.mark.slow
def test_ordinary_lines_are_left_alone() -> None:
    lines = benign_lines(random.Random(1), 1_000)
    touched = [line for line in lines if redact(line, personal=True) != redact(line)]
    assert len(touched) <= 5, touched


@given(st.text("0123456789+-() .@aA", max_size=80))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text, b"key", personal=True)
    assert redact(once, b"key", personal=True) == once


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scope", ["project", "global"])
def test_the_setting_of_either_store_is_enough(scope: str, person: Person) -> None:
    said = "Mail ada.lovelace@analytical.io about the teapot."
    person.ok("save", "Before", "--body", said)
    person.ok("config", "privacy.personal", "true", "--scope", scope)
    assert "mail" in person.run("doctor", "--secrets").out
    person.ok("forget", "before", "--purge", "--yes")
    WAYS["save from stdin"](person, said)
    WAYS["transcript"](person, said)
    assert not [name for name, data in bytes_kept(person) if b"ada.lovelace@" in data]
