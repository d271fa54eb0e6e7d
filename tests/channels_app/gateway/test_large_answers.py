"""Answers of megabytes: every event stays below what a frame may hold."""

from __future__ import annotations

import pytest

from channels_app.gateway.connection import Flavour
from channels_app.gateway.hub.endings import LONGEST_TEXT, ending_frames
from channels_app.gateway.limits import LIMITS

FLAVOUR = Flavour(protocol=4, is_page=False, has_tools=True, has_positions=True, has_html=False)


def final(text: str, **more: str) -> str:
    record = {"t": "run.end", "wire": "w", "state": "final", "text": text, **more}
    (frame,) = ending_frames(record, {"sessionKey": "k"}, FLAVOUR)
    return frame.head


def test_it_works() -> None:
    text = "a" * LONGEST_TEXT
    assert f'"{text}"' in final(text)


@pytest.mark.parametrize("character", ["a", "\u20ac", "\U0001f600", "\x01", "\n"])
def test_the_end_of_a_long_answer_fits_into_a_frame(character: str) -> None:
    head = final(character * 5_000_000, reasoning=character * 5_000_000)
    assert len(head.encode()) < LIMITS.max_payload
    assert "4000000 more characters are in the history" in head
