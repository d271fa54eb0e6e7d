"""Whatever happened to a history, a request has each call answered once, behind its message."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolResultMessage,
    UserMessage,
)
from agents.core.testing import asks_for
from agents.core.transcript import MISSING_RESULT, open_batch, repair_pairs
from tests.agents.core.harness import call
from tests.agents.core.strategies import steady


def result(id: str, text: str = "ok") -> ToolResultMessage:
    return ToolResultMessage(id, "echo", (Text(text),), timestamp=1)


def roles(messages: Sequence[Message]) -> list[str]:
    return [
        message.tool_call_id if isinstance(message, ToolResultMessage) else message.role
        for message in messages
    ]


USER: Message = UserMessage("hi", 1)
ASKS: Message = asks_for(call("a"), call("b"))
SAYS: Message = AssistantMessage((Text("done"),))


def test_it_works() -> None:
    history = [USER, ASKS, result("a"), result("b"), SAYS]

    assert repair_pairs(history) == history


def test_results_out_of_order_are_moved_behind_their_call() -> None:
    history = [USER, ASKS, UserMessage("wait", 2), result("b"), result("a"), SAYS]

    assert roles(repair_pairs(history)) == ["user", "assistant", "a", "b", "user", "assistant"]


def test_missing_results_become_errors_with_a_steady_time() -> None:
    repaired = repair_pairs([USER, ASKS, result("b"), SAYS])

    assert roles(repaired) == ["user", "assistant", "a", "b", "assistant"]
    missing = repaired[2]
    assert isinstance(missing, ToolResultMessage)
    assert missing.is_error
    assert missing.content == (Text(MISSING_RESULT),)
    assert missing.timestamp == ASKS.timestamp
    assert repair_pairs([USER, ASKS, result("b"), SAYS]) == repaired


def test_doubles_and_orphans_are_dropped() -> None:
    history = [
        result("x"), USER, ASKS, result("a", "first"), result("a", "second"), result("b"),
        result("zzz"), SAYS, result("a", "late"),
    ]  # fmt: skip

    repaired = repair_pairs(history)

    assert roles(repaired) == ["user", "assistant", "a", "b", "assistant"]
    assert repaired[2] == result("a", "first")


def test_the_same_id_in_a_later_turn_is_another_call() -> None:
    again = asks_for(call("a"))
    history = [ASKS, result("a", "1"), result("b"), again, result("a", "2")]

    assert repair_pairs(history) == history


def test_the_same_id_twice_in_one_answer_needs_two_results() -> None:
    twice = asks_for(call("a"), call("a"))

    repaired = repair_pairs([twice, result("a", "1"), result("a", "2")])

    assert repaired == [twice, result("a", "1"), result("a", "2")]
    assert roles(repair_pairs([twice, result("a", "1")])) == ["assistant", "a", "a"]


def test_a_broken_answer_keeps_only_its_visible_text() -> None:
    broken = AssistantMessage(
        (Thinking("hm"), Text("Let me"), call("a")), stop_reason="aborted", error_message="stopped"
    )

    repaired = repair_pairs([USER, broken, result("a"), USER])

    assert roles(repaired) == ["user", "assistant", "user"]
    kept = repaired[1]
    assert isinstance(kept, AssistantMessage)
    assert kept.content == (Text("Let me"),)
    assert (kept.stop_reason, kept.error_message) == ("stop", None)


def test_a_broken_answer_without_text_is_left_out() -> None:
    broken = AssistantMessage((Text(" \n"), call("a")), stop_reason="error")

    assert repair_pairs([USER, broken, result("a")]) == [USER]


def test_calls_that_wait_are_seen_only_at_the_end() -> None:
    waiting = open_batch([USER, ASKS, result("a")])

    assert waiting is not None
    assert [asked.id for asked in waiting.calls] == ["b"]
    assert open_batch([USER, ASKS, result("b"), result("a")]) is None
    assert open_batch([USER, ASKS, USER]) is None
    assert open_batch([USER, AssistantMessage((call("a"),), stop_reason="error")]) is None
    assert open_batch([result("a")]) is None
    assert open_batch([]) is None


IDS = st.sampled_from("abcd")
PIECES: st.SearchStrategy[Message] = st.one_of(
    st.just(USER),
    st.builds(result, IDS),
    st.builds(
        lambda ids, stop, text: asks_for(*map(call, ids), text=text, stop_reason=stop),
        st.lists(IDS, max_size=4),
        st.sampled_from(["toolUse", "stop", "length", "error", "aborted"]),
        st.sampled_from(["", "text"]),
    ),
)


@steady
@given(st.lists(PIECES, max_size=14))
def test_every_damage_is_repaired(history: list[Message]) -> None:
    before = list(history)

    repaired = repair_pairs(history)

    position = 0
    while position < len(repaired):
        message = repaired[position]
        position += 1
        assert not isinstance(message, ToolResultMessage), "a result without a call"
        if not isinstance(message, AssistantMessage):
            continue
        assert message.stop_reason not in ("error", "aborted")
        for asked in message.tool_calls:
            answer = repaired[position]
            position += 1
            assert isinstance(answer, ToolResultMessage)
            assert answer.tool_call_id == asked.id
    assert history == before
    assert repair_pairs(repaired) == repaired
    assert [item for item in repaired if item.role == "user"] == [
        item for item in history if item.role == "user"
    ]
