"""Odd files get a plain answer."""

from __future__ import annotations

import pytest

from agents.config.services import config_validate
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    """A byte order mark is no error."""
    assert config_validate(text=b"\xef\xbb\xbf{}").ok
    assert config_validate(text="\ufeff{}").ok


def test_other_encodings_are_named() -> None:
    assert errors_of("{}".encode("utf-16")) == ["the file is UTF-16: save it as UTF-8"]
    assert errors_of(b"{\n a: '\xe9'}") == ["line 2: the file is not UTF-8: save it as UTF-8"]


def test_five_megabytes_are_too_many() -> None:
    text = "{talk: '" + "x" * 5_000_000 + "'}"
    assert errors_of(text) == ["the document has 5.0 MB; at most 1.0 MB are read"]


@pytest.mark.parametrize("text", ["", "  \n", "// nothing\n", "# nothing\n"])
def test_an_empty_file(text: str) -> None:
    assert len(errors_of(text)) == 1


@pytest.mark.parametrize("text", ["[]", "just words", "12", "- a\n- b"])
def test_something_else_than_an_object(text: str) -> None:
    assert errors_of(text) == ["the document must be an object with sections as its keys"]


def test_a_section_must_be_an_object() -> None:
    assert errors_of("{session: 5, agents: null}") == [
        "line 1: agents: must be an object",
        "line 1: session: must be an object",
    ]
