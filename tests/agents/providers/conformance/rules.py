"""What each vendor documents about the history in a request, as checks that fail.

Written from the vendors' documentation and the types of their libraries, not from our code.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from typing import Any

Wire = dict[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CHAT_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}|functions\.[\w-]+:\d+")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_GOOGLE_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")


def fits(pattern: re.Pattern[str], value: Any) -> None:
    assert isinstance(value, str)
    assert pattern.fullmatch(value), value


def filled(text: Any) -> None:
    """A text that a service does not refuse as empty."""
    assert isinstance(text, str)
    assert text.strip()


def chat_check(body: Wire) -> None:
    """Chat Completions: every call answered at once, nobody speaks twice, the user begins."""
    messages = [m for m in body["messages"] if m["role"] not in ("system", "developer")]
    assert messages[0]["role"] == "user"
    assert messages[-1]["role"] in ("user", "tool")
    waiting: list[str] = []
    last = ""
    for message in messages:
        role = message["role"]
        if role == "tool":
            waiting.remove(message["tool_call_id"])
            filled(message["content"])
        else:
            assert not waiting, "calls without results"
            assert role != last, "one role twice"
            _chat_content(message)
            waiting = _chat_calls(message)
        last = role
    assert not waiting


def _chat_content(message: Wire) -> None:
    content = message["content"]
    if content is None:
        assert message["role"] == "assistant"
        assert message["tool_calls"]
    elif isinstance(content, str):
        filled(content)
    else:
        assert content
        for part in content:
            if part["type"] == "text":
                filled(part["text"])
            else:
                assert part["image_url"]["url"].startswith("data:image/")


def _chat_calls(message: Wire) -> list[str]:
    calls = message.get("tool_calls", [])
    for call in calls:
        fits(_CHAT_ID, call["id"])
        fits(_NAME, call["function"]["name"])
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    ids = [call["id"] for call in calls]
    assert len(set(ids)) == len(ids)
    return ids


def messages_check(body: Wire) -> None:
    """Anthropic Messages: roles alternate, results first and complete, reasoning is signed."""
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        blocks = message["content"]
        assert blocks
        results = [block for block in blocks if block["type"] == "tool_result"]
        assert blocks[: len(results)] == results, "results come first"
        assert sorted(block["tool_use_id"] for block in results) == sorted(waiting)
        for block in blocks:
            _messages_block(block, message["role"])
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not seen & set(waiting), "an id twice"
        seen |= set(waiting)
        assert len(set(waiting)) == len(waiting)


def _messages_block(block: Wire, role: str) -> None:
    match block["type"]:
        case "text":
            filled(block["text"])
        case "image":
            assert role == "user"
            assert block["source"]["data"]
        case "tool_result":
            assert role == "user"
            assert block["content"]
            for part in block["content"]:
                assert part["type"] in ("text", "image")
                _messages_block(part, "user")
        case "tool_use":
            fits(_ID, block["id"])
            fits(_NAME, block["name"])
            assert isinstance(block["input"], dict)
        case "thinking":
            filled(block["signature"])
            assert isinstance(block["thinking"], str)
        case "redacted_thinking":
            filled(block["data"])
        case kind:
            raise AssertionError(f"a block of type {kind}")


def responses_check(body: Wire) -> None:
    """OpenAI Responses: each call has one output behind it, reasoning its following item."""
    items = body["input"]
    assert items
    called: list[str] = []
    answered: list[str] = []
    item_ids = [item["id"] for item in items if "id" in item]
    assert len(set(item_ids)) == len(item_ids), "an item twice"
    for number, item in enumerate(items):
        match item["type"]:
            case "message":
                _responses_message(item)
            case "function_call":
                fits(_ID, item["call_id"])
                fits(_NAME, item["name"])
                assert isinstance(json.loads(item["arguments"]), dict)
                called.append(item["call_id"])
            case "function_call_output":
                assert item["call_id"] in called
                assert item["output"]
                answered.append(item["call_id"])
            case "reasoning":
                following = items[number + 1]
                is_said = following["type"] == "message" and following["role"] == "assistant"
                assert is_said or following["type"] in ("function_call", "reasoning")
            case kind:
                raise AssertionError(f"an item of type {kind}")
    assert sorted(called) == sorted(answered)
    assert len(set(called)) == len(called)
    last = items[-1]
    assert last["type"] == "function_call_output" or last["role"] == "user"


def _responses_message(item: Wire) -> None:
    content = item["content"]
    if isinstance(content, str):
        filled(content)
        return
    assert content
    for part in content:
        if part["type"] in ("input_text", "output_text"):
            filled(part["text"])
        else:
            assert part["image_url"].startswith("data:image/")


def google_check(body: Wire) -> None:
    """Gemini: the user begins and ends, a turn of calls stands behind a user's turn or results,
    and right behind it as many results of the same names."""
    contents = body["contents"]
    assert contents[0]["role"] == "user"
    assert contents[-1]["role"] == "user"
    waiting: list[str] = []
    last: Wire = {"role": ""}
    for content in contents:
        parts = content["parts"]
        assert content["role"] in ("user", "model")
        assert parts
        for part in parts:
            _google_part(part)
        results = [p["functionResponse"]["name"] for p in parts if "functionResponse" in p]
        assert results == waiting, "results of the calls, in their turn alone"
        assert not results or len(results) == len(parts)
        waiting = [p["functionCall"]["name"] for p in parts if "functionCall" in p]
        if waiting:
            assert content["role"] == "model"
        assert not (content["role"] == last["role"] == "model"), "the model twice"
        last = content
    assert not waiting


def _google_part(part: Wire) -> None:
    (kind,) = part.keys() & {"text", "inlineData", "functionCall", "functionResponse"}
    if kind == "text":
        filled(part["text"])
    elif kind == "inlineData":
        assert part["inlineData"]["data"]
    elif kind == "functionCall":
        fits(_GOOGLE_NAME, part["functionCall"]["name"])
        assert isinstance(part["functionCall"]["args"], dict)
    else:
        fits(_GOOGLE_NAME, part["functionResponse"]["name"])
        assert part["functionResponse"]["response"]
    if signature := part.get("thoughtSignature"):
        # Google decodes both alphabets.
        base64.b64decode(signature.replace("_", "/").replace("-", "+"), validate=True)


def ollama_check(body: Wire) -> None:
    """Ollama: results behind their calls by order and name, contents are texts."""
    messages = [message for message in body["messages"] if message["role"] != "system"]
    assert messages[0]["role"] == "user"
    assert messages[-1]["role"] in ("user", "tool")
    waiting: list[str] = []
    last = ""
    for message in messages:
        assert isinstance(message["content"], str)
        if message["role"] == "tool":
            assert message["tool_name"] == waiting.pop(0)
            filled(message["content"])
        else:
            assert not waiting
            assert message["role"] != last
            waiting = _ollama_calls(message)
        last = message["role"]
    assert not waiting


def _ollama_calls(message: Wire) -> list[str]:
    calls: Sequence[Wire] = message.get("tool_calls", [])
    assert calls or message["content"].strip() or message.get("thinking")
    for call in calls:
        fits(_NAME, call["function"]["name"])
        assert isinstance(call["function"]["arguments"], dict)
    return [call["function"]["name"] for call in calls]
