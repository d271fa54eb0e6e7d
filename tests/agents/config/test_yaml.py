"""YAML is read as well as JSON5."""

from __future__ import annotations

import pytest

from agents.config.registry import section
from agents.config.services import config_apply
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db

TEXT = """\
# comments are fine
messages:
  queue:
    mode: followup
    cap: 3
agents:
  list:
    - id: main
      name: "yes"
"""


def test_it_works() -> None:
    config_apply(text=TEXT)
    queue = section("messages").queue
    assert (queue.mode, queue.cap) == ("followup", 3)


def test_errors_have_lines() -> None:
    assert errors_of(TEXT + "sesion: {}\n") == [
        "line 10: sesion: unknown key; did you mean session?"
    ]
    assert errors_of("agents:\n  list:\n    - id: a\n    - id: a b\n") == [
        "line 4: agents.list[1].id: "
        "Use 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit."
    ]


def test_a_tab_is_named() -> None:
    assert errors_of("messages:\n\tqueue: {}\n") == [
        "line 2: YAML allows no tab here: indent with spaces"
    ]


def test_words_are_not_converted() -> None:
    """In YAML 1.1 `on` is true; here it is the word, which is no boolean."""
    assert errors_of("agents: {list: [{id: a, default: on}]}") == [
        "line 1: agents.list[0].default: must be a valid boolean"
    ]


def test_dates_must_be_quoted() -> None:
    assert errors_of("wizard:\n  at: 2026-11-01\n") == [
        "line 2: wizard.at: must be text, a finite number, true, false or null: put it in quotes"
    ]


def test_numbers_as_keys_are_text() -> None:
    report = config_apply(text="channels: {telegram: {groups: {-100123: {}}}}")
    assert report.document["channels"]["telegram"]["groups"] == {"-100123": {}}


def test_aliases_that_multiply_are_refused() -> None:
    levels = "".join(f"  l{n}: &l{n} [*l{n - 1}, *l{n - 1}, *l{n - 1}]\n" for n in range(1, 30))
    (error,) = errors_of("talk:\n  l0: &l0 [x]\n" + levels)
    assert error.endswith("the document is too big or too deeply nested")


def test_code_is_not_run() -> None:
    assert errors_of("talk:\n  a: !!python/object/apply:os.getcwd []\n") == [
        "line 2: talk.a: tags (!…) are not read"
    ]
    assert len(errors_of("talk: !secret x\n")) == 1
