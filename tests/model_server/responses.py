"""OpenAI Responses as the server speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.answer import Answer, Call, next_id
from tests.model_server.conversation import Conversation, text_of
from tests.model_server.odd_responses import ODD_RESPONSES, Events, response_of

name = "responses"
odd = ODD_RESPONSES


def read(body: dict[str, Any]) -> Conversation:
    """The view of a Responses request."""
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    conversation = Conversation(chars=len(json.dumps(items)))
    for item in items:
        if item.get("type") == "function_call_output":
            conversation.results.append(text_of(item.get("output")))
        elif item.get("role") == "user":
            conversation.take_user(item.get("content"))
    return conversation


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error."""
    codes = {401: "invalid_api_key", 402: "insufficient_quota", 429: "rate_limit_exceeded"}
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": text, "type": kind, "param": None, "code": codes.get(status)}}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    text = "Your input exceeds the context window of this model. Please adjust your input."
    kind = {"type": "invalid_request_error", "code": "context_length_exceeded"}
    return {"error": {"message": text, "param": "input", **kind}}


def _usage(answer: Answer) -> dict[str, Any]:
    tokens_in, tokens_out = answer.usage
    return {
        "input_tokens": tokens_in,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": tokens_out,
        "output_tokens_details": {"reasoning_tokens": 1 if answer.think else 0},
        "total_tokens": tokens_in + tokens_out,
    }


def _reasoning(text: str) -> dict[str, Any]:
    return {
        "id": f"rs_{next_id():06d}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text}],
        "encrypted_content": "ZW5jcnlwdGVk",
    }


def _message(text: str) -> dict[str, Any]:
    return {
        "id": f"msg_{next_id():06d}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "phase": "final_answer",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    }


def _call(call: Call) -> dict[str, Any]:
    return {
        "id": f"fc_{call.id}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": json.dumps(call.arguments),
    }


def _items(answer: Answer) -> list[dict[str, Any]]:
    items = [_reasoning(answer.think)] if answer.think else []
    if answer.words or not answer.calls:
        items.append(_message(answer.text))
    return [*items, *map(_call, answer.calls)]


def whole(answer: Answer, model: str) -> dict[str, Any]:
    """The answer in one piece."""
    return response_of(
        f"resp_{next_id():06d}",
        model=model,
        status="completed",
        output=_items(answer),
        usage=_usage(answer),
    )


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame); kind "word" marks the frames that a script counts."""
    final = whole(answer, str(body.get("model", "")))
    begun = {**final, "status": "in_progress", "output": [], "usage": None}
    events = Events()
    yield "start", events.frame("response.created", response=begun)
    yield "start", events.frame("response.in_progress", response=begun)
    for index, item in enumerate(final["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        kind = {"message": "start", "reasoning": "think"}.get(item["type"], "call")
        yield kind, events.frame("response.output_item.added", output_index=index, item=_bare(item))
        yield from _deltas(events, item, place, answer)
        yield "end", events.frame("response.output_item.done", output_index=index, item=item)
    yield "end", events.frame("response.completed", response=final)


def _bare(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it is announced."""
    empty: dict[str, Any] = {"content": [], "summary": [], "arguments": ""}
    bare = {key: empty.get(key, value) for key, value in item.items()}
    return {**bare, "status": "in_progress"} if "status" in bare else bare


def _deltas(
    events: Events, item: dict[str, Any], place: dict[str, Any], answer: Answer
) -> Iterator[tuple[str, bytes]]:
    if item["type"] == "message":
        yield from _text(events, {**place, "content_index": 0}, answer)
    elif item["type"] == "reasoning":
        yield from _summary(events, {**place, "summary_index": 0}, item["summary"][0])
    else:
        called, arguments = "response.function_call_arguments", item["arguments"]
        yield "call", events.frame(f"{called}.delta", **place, delta=arguments)
        yield (
            "call",
            events.frame(f"{called}.done", **place, name=item["name"], arguments=arguments),
        )


def _text(events: Events, place: dict[str, Any], answer: Answer) -> Iterator[tuple[str, bytes]]:
    part: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": []}
    yield "start", events.frame("response.content_part.added", **place, part={**part, "text": ""})
    for word in answer.words:
        yield (
            "word",
            events.frame("response.output_text.delta", **place, delta=word, logprobs=[]),
        )
    done = {**part, "text": answer.text}
    yield (
        "end",
        events.frame("response.output_text.done", **place, text=answer.text, logprobs=[]),
    )
    yield "end", events.frame("response.content_part.done", **place, part=done)


def _summary(
    events: Events, place: dict[str, Any], part: dict[str, Any]
) -> Iterator[tuple[str, bytes]]:
    named, text = "response.reasoning_summary", part["text"]
    yield "think", events.frame(f"{named}_part.added", **place, part={**part, "text": ""})
    yield "think", events.frame(f"{named}_text.delta", **place, delta=text)
    yield "think", events.frame(f"{named}_text.done", **place, text=text)
    yield "think", events.frame(f"{named}_part.done", **place, part=part)
