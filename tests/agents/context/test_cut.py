"""Where a history may be cut: never between a call and its result, whatever it looks like."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.cut import cut_find, cut_places
from agents.context.tokens import messages_tokens
from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.transcript import repair_pairs


def call(number: int, *ids: str) -> AssistantMessage:
    """An answer that calls tools."""
    calls = tuple(ToolCall(one, "read", {"n": number}) for one in ids)
    return AssistantMessage(calls, stop_reason="toolUse", timestamp=number)


def result(number: int, name: str, size: int = 40) -> ToolResultMessage:
    """The result of a call."""
    return ToolResultMessage(name, "read", (Text("r" * size),), timestamp=number)


def turns(count: int, *, size: int = 400) -> list[Message]:
    """Turns with one call each."""
    found: list[Message] = []
    for number in range(count):
        found += [
            UserMessage(f"q{number}" + "u" * size, timestamp=number),
            call(number, f"c{number}"),
            result(number, f"c{number}", size),
            AssistantMessage((Text("a" * size),), timestamp=number),
        ]
    return found


damaged = st.lists(
    st.one_of(
        st.builds(UserMessage, st.text(max_size=30), st.just(1)),
        st.lists(st.sampled_from("abc"), max_size=3).map(lambda ids: call(1, *ids)),
        st.sampled_from("abc").map(lambda name: result(1, name)),
    ),
    max_size=24,
)


def answered(messages: Sequence[Message]) -> int:
    """How many calls have a real result behind them."""
    return sum(isinstance(m, ToolResultMessage) and not m.is_error for m in repair_pairs(messages))


def test_it_works() -> None:
    """The newest tokens are kept, from the beginning of a turn on."""
    messages = turns(20)
    cut = cut_find(messages, keep=1_000)
    kept = messages[cut.index :]
    assert 1_000 <= messages_tokens(kept) <= 1_500
    assert cut.turn_start <= cut.index


@given(damaged)
def test_no_place_parts_a_call_from_its_result(messages: list[Message]) -> None:
    """At every place both halves together have as many answered calls as the whole."""
    for place in cut_places(messages):
        assert answered(messages[:place]) + answered(messages[place:]) == answered(messages)


@given(damaged, st.integers(min_value=0, max_value=200))
def test_what_is_found_is_a_place(messages: list[Message], keep: int) -> None:
    """Whatever is to be kept, the cut is at one of the places, and something is kept."""
    cut = cut_find(messages, keep=keep)
    assert cut.index in [0, *cut_places(messages)]
    assert 0 <= cut.turn_start <= cut.index
    assert messages[cut.index :] or not messages


@pytest.mark.parametrize("offset", range(50))
def test_fifty_calls_at_every_offset(offset: int) -> None:
    """The history of the public complaint: cut to the newest, wherever, the pairs stay whole."""
    messages = turns(50, size=80)
    kept = messages[cut_find(messages, keep=10 + offset * 7).index :]
    calls = {c.id for m in kept if isinstance(m, AssistantMessage) for c in m.tool_calls}
    results = {m.tool_call_id for m in kept if isinstance(m, ToolResultMessage)}
    assert calls == results


def test_a_huge_result_at_the_end_is_kept_with_its_call() -> None:
    """There is no later place, so the call stays with it."""
    messages = [
        *turns(3),
        UserMessage("read it", timestamp=9),
        call(9, "x"),
        result(9, "x", 99_999),
    ]
    cut = cut_find(messages, keep=1_000)
    assert messages[cut.index].timestamp == 9
    assert isinstance(messages[cut.index], AssistantMessage)
    assert cut.splits_turn
    assert messages[cut.turn_start] == messages[-3]


def test_everything_fits() -> None:
    """Then nothing is cut off."""
    messages = turns(3)
    assert cut_find(messages, keep=100_000).index == 0
    assert cut_find([], keep=10).index == 0
