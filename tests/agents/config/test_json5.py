"""JSON5: what it allows, and where its errors are."""

from __future__ import annotations

import pytest

from agents.config.issues import Findings
from agents.config.json5_source import json5_read
from tests.agents.config.conftest import errors_of


def lines(text: str) -> dict[tuple[str | int, ...], int]:
    findings = Findings()
    _value, found = json5_read(text, findings)
    assert not findings.errors
    return found


def test_it_works() -> None:
    text = """// a comment with { and "quotes"
    {
      a: 1, /* two
      lines */ 'b': [ {c: "x // y"},
        'z\\
        w', ],
      "d:,": {e: {f: null}},
    }"""
    assert lines(text) == {
        ("a",): 3,
        ("b",): 4,
        ("b", 0): 4,
        ("b", 0, "c"): 4,
        ("b", 1): 5,
        ("d:,",): 7,
        ("d:,", "e"): 7,
        ("d:,", "e", "f"): 7,
    }


def test_numbers_and_words_are_no_keys() -> None:
    found = lines("{a: +.5, b: 0x1F, c: -Infinity, d: true, e: [null, 1e3]}")
    assert set(found) == {("a",), ("b",), ("c",), ("d",), ("e",), ("e", 0), ("e", 1)}


def test_escaped_keys() -> None:
    assert set(lines(r"""{\u0061b: 1, "c\"d": 2}""")) == {("ab",), ('c"d',)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "line"),
    [("{\n a: 1\n b: 2}", 3), ("{\n a: [1,\n", 2), ("{a: x}", 1), ("{} {}", 1), ("{a: 'b\n'}", 1)],
)
def test_broken_text_is_told_with_its_line(text: str, line: int) -> None:
    (error,) = errors_of(text)
    assert error.startswith(f"line {line}: not valid JSON5: ")


@pytest.mark.django_db
def test_numbers_that_json_cannot_hold() -> None:
    assert errors_of("{session: {reset: {atHour: NaN}}}") == [
        "line 1: session.reset.atHour: "
        "must be text, a finite number, true, false or null: put it in quotes"
    ]


@pytest.mark.django_db
def test_characters_that_databases_refuse() -> None:
    assert errors_of(r"{messages: {ackReaction: '\u0000'}}") == [
        "line 1: messages.ackReaction: contains a character that cannot be stored"
    ]


@pytest.mark.django_db
def test_deep_nesting_is_refused() -> None:
    assert len(errors_of('{"talk": ' + "[" * 5000 + "]" * 5000 + "}")) == 1
