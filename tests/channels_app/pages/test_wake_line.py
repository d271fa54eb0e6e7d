"""A turn that nobody wrote for begins with a line of the gateway, not with a person's message."""

from __future__ import annotations

from typing import Any

import pytest

from channels_app.pages.transcript import transcript_shown
from sessions.models import Entry
from sessions.showing import Showing

pytestmark = pytest.mark.django_db


def shown(**body: Any) -> tuple[str, str, str]:
    """Role, kind and text of a user entry on the page."""
    entry = Entry(entry_id="a", seq=1, role="user", body={"role": "user", **body})
    (message,) = transcript_shown([entry], Showing())
    return message.role, message.kind, message.text


def test_it_works() -> None:
    assert shown(content="events\n\nasked", said="It is done.", wake=True) == (
        "notice",
        "wake",
        "It is done.",
    )


def test_a_person_s_own_words() -> None:
    assert shown(content="hello") == ("user", "", "hello")
    assert shown(content="events\n\nhello", said="hello") == ("user", "", "hello")


def test_tricks_are_shown() -> None:
    _role, _kind, text = shown(content="x", said="a\u202eb", wake=True)
    assert "\u202e" not in text
