"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.providers.common.sse import SseDecoder

STREAM = (
    b": comment\n\nevent: a\ndata: one\n\ndata: two\r\ndata:lines\r\n\r\n"
    b"id: 5\nretry: 10\n\ndata:\n\ndata: \xf0\x9f\x98\x80\n\ndata: last"
)
EVENTS = [("a", b"one"), ("", b"two\nlines"), ("", "😀".encode()), ("", b"last")]


def decode(*chunks: bytes) -> list[tuple[str, bytes]]:
    decoder = SseDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.flush()]


def test_it_works() -> None:
    assert decode(STREAM) == EVENTS


def test_event_is_given_as_soon_as_it_is_complete() -> None:
    decoder = SseDecoder()
    assert list(decoder.feed(b"data: one\n")) == []
    assert list(decoder.feed(b"\n")) == [("", b"one")]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_cuts_do_not_matter(places: list[int]) -> None:
    edges = [0, *sorted(places), len(STREAM)]
    assert decode(*[STREAM[a:b] for a, b in pairwise(edges)]) == EVENTS
