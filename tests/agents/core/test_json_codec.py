"""Messages survive the way through JSON; the field names are those of the reference."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given

from agents.core.errors import UserError
from agents.core.json_codec import message_from_json, message_to_json
from agents.core.messages import (
    AssistantMessage,
    Cost,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from tests.agents.core.strategies import MESSAGES, steady

# Own samples in the shape of the reference transcript.
USAGE = {
    "input": 10,
    "output": 5,
    "cacheRead": 2,
    "cacheWrite": 1,
    "totalTokens": 18,
    "cost": {"input": 0.5, "output": 0.25, "cacheRead": 0, "cacheWrite": 0, "total": 0.75},
}
TRANSCRIPT: list[dict[str, Any]] = [
    {"role": "user", "content": "hi", "timestamp": 1767225600000},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "look"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        ],
        "timestamp": 1767225600001,
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "opaque", "redacted": True},
            {"type": "text", "text": "Let me see.", "textSignature": "s"},
            {
                "type": "toolCall",
                "id": "toolu01",
                "name": "read",
                "arguments": {"path": "a.md"},
                "thoughtSignature": "t",
            },
        ],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "x",
        "responseModel": "x-1",
        "responseId": "r1",
        "usage": USAGE,
        "stopReason": "toolUse",
        "timestamp": 1767225601000,
    },
    {
        "role": "toolResult",
        "toolCallId": "toolu01",
        "toolName": "read",
        "content": [{"type": "text", "text": "hello"}],
        "details": {},
        "isError": False,
        "timestamp": 1767225602000,
    },
    {
        "role": "assistant",
        "content": [],
        "api": "a",
        "provider": "p",
        "model": "m",
        "usage": USAGE,
        "stopReason": "error",
        "errorMessage": "429",
        "timestamp": 1767225603000,
    },
]


def test_it_works() -> None:
    message = AssistantMessage(
        (Thinking("hm", "sig"), Text("ok"), ToolCall("1", "read", {"path": "a"})),
        api="a",
        provider="p",
        model="m",
        usage=Usage(1, 2, 3, 4, Cost(0.1, 0.2), estimated=True),
        stop_reason="toolUse",
        timestamp=5,
    )

    data = message_to_json(message)

    assert data["usage"]["totalTokens"] == 10
    assert data["usage"]["estimated"] is True
    assert data["usage"]["cost"]["total"] == pytest.approx(0.3)
    assert message_from_json(data) == message


@steady
@given(MESSAGES)
def test_nothing_is_lost(message: Message) -> None:
    assert message_from_json(orjson.loads(orjson.dumps(message_to_json(message)))) == message
    assert message_from_json(json.loads(json.dumps(message_to_json(message)))) == message


@pytest.mark.parametrize("data", TRANSCRIPT, ids=lambda data: data["role"])
def test_a_transcript_of_the_reference_is_written_back_as_it_was(data: dict[str, Any]) -> None:
    assert message_to_json(message_from_json(data)) == data


def test_unknown_keys_are_ignored() -> None:
    data = {**TRANSCRIPT[2], "diagnostics": [1], "future": {"x": 1}}

    assert message_from_json(data) == message_from_json(TRANSCRIPT[2])


def test_user_content_stays_text_or_blocks() -> None:
    text, blocks = UserMessage("hi", 1), UserMessage((Text("hi"),), 1)

    assert message_to_json(text)["content"] == "hi"
    assert message_to_json(blocks)["content"] == [{"type": "text", "text": "hi"}]


def test_text_where_blocks_belong_is_read_as_one_block() -> None:
    result = message_from_json({"role": "toolResult", "toolCallId": "1", "content": "done"})

    assert result == ToolResultMessage("1", "", (Text("done"),), timestamp=0)


def test_what_no_store_can_hold_is_replaced() -> None:
    call = ToolCall("1", "w", {"a\ud800": ["\0", float("inf"), 2**70, ("x", {"y": "\udfff"})]})
    message = AssistantMessage((Text("x\ud800y"), Thinking("\udc00"), call), timestamp=1)

    written = message_to_json(message)

    orjson.dumps(written)
    assert [block.get("text") or block.get("thinking") for block in written["content"][:2]] == [
        "x\ufffdy",
        "\ufffd",
    ]
    assert written["content"][2]["arguments"] == {
        "a\ufffd": ["\ufffd", None, str(2**70), ["x", {"y": "\ufffd"}]]
    }


def test_details_of_any_type_never_stop_a_message_from_being_written() -> None:
    message = ToolResultMessage("1", "t", (Image("aGk=", "image/png"),), details={"at": {1}})

    assert message_to_json(message)["details"] == {"at": "{1}"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"role": "system"}, "role: expected user, assistant or toolResult, got 'system'"),
        ({"content": None}, "content: expected a list of blocks, got None"),
        ({"content": [{"type": "video"}]}, r"content\[0\]: expected a block of kind Text or"),
        ({"content": [{"type": "text"}]}, "text: expected a text, got None"),
        ({"content": ["x"]}, r"content\[0\]"),
        ({"stopReason": "bored"}, "stopReason: expected one of stop, length"),
        ({"model": 5}, "model: expected a text, got 5"),
        ({"usage": {"output": "many"}}, "output: expected a whole number, got 'many'"),
        ({"usage": []}, "usage: expected an object"),
        ({"timestamp": "yesterday"}, "timestamp: expected a number, got 'yesterday'"),
    ],
)
def test_bad_input_names_the_field(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        message_from_json({**TRANSCRIPT[2], **change})


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_something_else_is_no_message(data: Any) -> None:
    with pytest.raises(UserError, match="message: expected an object"):
        message_from_json(data)


def test_an_image_is_no_answer() -> None:
    with pytest.raises(UserError, match=r"content\[1\]"):
        message_from_json({**TRANSCRIPT[1], "role": "assistant"})
