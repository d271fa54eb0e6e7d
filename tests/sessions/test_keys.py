"""Session keys: aliases, canonical form, faults."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import UserError
from sessions.keys import (
    agent_of,
    http_key,
    is_main,
    main_key,
    session_key_normalise,
    web_key,
)


def test_it_works() -> None:
    assert session_key_normalise("main", default_agent="ops") == "agent:ops:main"
    assert session_key_normalise(" Agent:Main:Web:X ", default_agent="ops") == "agent:main:web:x"
    assert agent_of("agent:ops:main") == "ops"


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("agent:", "malformed"),
        ("agent:main:", "malformed"),
        ("agent::main", "malformed"),
        ("agent:-x:main", "malformed"),
        ("a b", "blanks"),
        ("a\x00b", "blanks"),
        ("x" * 513, "longer"),
    ],
)
def test_it_names_what_is_wrong(raw: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        session_key_normalise(raw, default_agent="main")


def test_it_makes_keys_that_are_canonical() -> None:
    for key in (main_key("ops"), web_key("ops"), http_key("ops"), http_key("ops", "Ann")):
        assert session_key_normalise(key, default_agent="main") == key
    assert is_main(main_key("ops"))
    assert not is_main(web_key("ops"))


@given(st.text(max_size=600))
def test_normal_form_is_stable(raw: str) -> None:
    try:
        once = session_key_normalise(raw, default_agent="main")
    except UserError:
        return
    assert session_key_normalise(once, default_agent="other") == once
    assert agent_of(once)
