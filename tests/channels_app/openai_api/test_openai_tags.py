"""Reasoning between tags never leaves through the API, streamed or whole."""

from __future__ import annotations

from typing import Any

from openai import OpenAI

SAYS = "[[echo:<think>SECRET plan</think>\n\nhello `<think>`]]"
ASK = [{"role": "user", "content": SAYS}]


def test_it_works(client: OpenAI) -> None:
    answer = client.chat.completions.create(model="openclaw", messages=ASK)  # type: ignore[arg-type]
    assert answer.choices[0].message.content == "hello `<think>`"


def test_a_stream(client: OpenAI) -> None:
    stream: Any = client.chat.completions.create(
        model="openclaw",
        messages=ASK,  # type: ignore[arg-type]
        stream=True,
    )
    parts = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
    assert "".join(parts) == "hello `<think>`"


def test_an_option_in_the_text_changes_nothing_else(client: OpenAI) -> None:
    """Asked for in the text, reasoning stays out of the content, and the trace too."""
    ask = [{"role": "user", "content": f"/reasoning stream /trace on {SAYS}"}]
    answer = client.chat.completions.create(model="openclaw", messages=ask)  # type: ignore[arg-type]
    assert answer.choices[0].message.content == "hello `<think>`"
