"""Which messages are commands."""

from __future__ import annotations

import pytest

from sessions.commands import Command, command_parse


def test_it_works() -> None:
    assert command_parse("/stop") == Command("stop")
    assert command_parse("/queue steer") == Command("queue", "steer")
    assert command_parse("/new tell me a story") == Command("new", "tell me a story")


@pytest.mark.parametrize("text", ["stop", "Stop!", " STOP. ", "please stop", "停止。", "стоп"])
def test_stop_words_stop(text: str) -> None:
    assert command_parse(text) == Command("stop")


@pytest.mark.parametrize(
    "text", ["stop the presses", "/unknown", "please /stop", "/stop now please", "stopping", "/"]
)
def test_other_text_is_a_message(text: str) -> None:
    assert command_parse(text) is None
