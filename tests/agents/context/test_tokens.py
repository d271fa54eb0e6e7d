"""The estimate of tokens, and its correction by what services report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.tokens import (
    context_tokens,
    message_tokens,
    messages_tokens,
    overhead_tokens,
    text_tokens,
)
from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    Usage,
    UserMessage,
)
from agents.core.model import ToolSchema


def answer(total: int, at: int = 10, **fields: object) -> AssistantMessage:
    """An answer whose service reported so many tokens."""
    usage = Usage(input=total - 5, output=5) if total else Usage()
    return AssistantMessage((Text("fine"),), usage=usage, timestamp=at, **fields)  # type: ignore[arg-type]


def test_it_works() -> None:
    """The newest report, and an estimate of what came after it."""
    history: list[Message] = [
        UserMessage("x" * 4_000, 1),
        answer(9_000),
        UserMessage("y" * 400, 11),
    ]
    assert context_tokens(history, system="s" * 4_000) == 9_100


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本語", 3), ("日本語 abc", 4), ("é" * 8, 2)],
)
def test_texts(text: str, tokens: int) -> None:
    """Four characters a token, one for each of Chinese, Japanese and Korean."""
    assert text_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, two: str) -> None:
    """It grows with the text and stays between a quarter and all of its characters."""
    assert text_tokens(one) <= text_tokens(one + two) <= text_tokens(one) + text_tokens(two)
    assert len(one) / 4 <= text_tokens(one) <= len(one) or not one


def test_blocks() -> None:
    """Everything that is sent counts: images, thoughts, calls."""
    assert message_tokens(UserMessage((Text("abcd"), Image("AAAA", "image/png")))) == 1_201
    blocks = (Thinking("abcd"), Text("abcd"), ToolCall("c", "read", {"path": "a.md"}))
    assert message_tokens(AssistantMessage(blocks)) == 1 + 1 + 1 + 4


def test_without_a_report_all_is_estimated() -> None:
    """Prompt and tools included."""
    tools = [ToolSchema("read", "d" * 40, {"type": "object"})]
    history = [UserMessage("x" * 400, 1)]
    expected = overhead_tokens("s" * 400, tools) + 100
    assert context_tokens(history, system="s" * 400, tools=tools) == expected


@pytest.mark.parametrize("stop", ["error", "aborted"])
def test_broken_answers_report_nothing(stop: str) -> None:
    """What a failed call counted is not the size of the context."""
    history: list[Message] = [UserMessage("x" * 400, 1), answer(50_000, stop_reason=stop)]
    assert context_tokens(history) == messages_tokens(history)


def test_reports_of_before_a_compaction_do_not_count() -> None:
    """The kept answers were given when everything was still sent."""
    history: list[Message] = [answer(150_000, at=10), UserMessage("go on", 30)]
    assert context_tokens(history, since=20) < 100
    assert context_tokens(history) > 150_000
