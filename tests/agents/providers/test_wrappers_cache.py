"""The prefix of requests stays the same between turns, and a break is told with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import AssistantMessage, Text, UserMessage
from agents.core.model import Done, ModelEvent, ModelInfo, ModelRequest
from agents.providers.anthropic_messages.request import body_build as anthropic_body
from agents.providers.common.body import json_encode
from agents.providers.common.prompt_cache import CACHE_BOUNDARY
from agents.providers.common.usage import usage_of
from agents.providers.openai_completions.compat import compat_for
from agents.providers.openai_completions.request import body_build as completions_body
from agents.providers.openai_responses.request import body_build as responses_body
from agents.providers.wrappers.cache_prints import cache_print, digest
from agents.providers.wrappers.cache_trace import cache_trace
from agents.providers.wrappers.context import WrapperContext
from tests.agents.providers.harness import CLOCK, READ, WRITE

MODEL = ModelInfo(provider="fake", id="fake-1", api="openai-responses")
FIRST = (UserMessage("one"), AssistantMessage((Text("Answer."),)), UserMessage("two"))
SECOND = (*FIRST, AssistantMessage((Text("More."),)), UserMessage("three"))


class Trace:
    """Calls a canned service through the wrapper, as one session."""

    def __init__(self) -> None:
        self.told: list[Mapping[str, Any]] = []
        context = WrapperContext(
            session_id=uuid4().hex, report=lambda kind, facts: self.told.append(facts)
        )
        self._stream = cache_trace(self._answer, context)
        self.cache_read = 0

    async def _answer(self, request: ModelRequest, signal: AbortSignal) -> Any:
        usage = usage_of(request.model, fresh=10, output=1, cache_read=self.cache_read)
        event: ModelEvent = Done(AssistantMessage((Text("ok"),), usage=usage))
        yield event

    async def call(self, **values: Any) -> list[str]:
        """The reasons that this call was told to break the cache for."""
        self.told.clear()
        request = _request(**values)
        assert [type(e) async for e in self._stream(request, AbortSignal())] == [Done]
        return [reason for facts in self.told for reason in facts["reasons"]]


def _request(**values: Any) -> ModelRequest:
    base: dict[str, Any] = {"model": MODEL, "messages": FIRST, "system": "Be kind."}
    return ModelRequest(**{**base, "tools": (READ, WRITE), **values})


async def test_it_works() -> None:
    trace = Trace()
    assert await trace.call() == []
    assert await trace.call(messages=SECOND) == []
    assert await trace.call(messages=SECOND, system="Be rude.") == ["systemPrompt"]
    assert await trace.call(messages=SECOND, system="Be rude.") == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tools": (WRITE, READ)}, "tools"),
        ({"tools": (READ, CLOCK)}, "tools"),
        ({"model": replace(MODEL, id="fake-2")}, "model"),
        ({"model": replace(MODEL, params={"cacheRetention": "long"})}, "cacheRetention"),
        ({"model": replace(MODEL, compat={"transport": "websocket"})}, "transport"),
        ({"messages": (UserMessage("uno"), *SECOND[1:])}, "messages"),
        ({"messages": SECOND[:1]}, "messages"),
    ],
)
async def test_each_reason(changed: dict[str, Any], reason: str) -> None:
    trace = Trace()
    await trace.call()
    assert await trace.call(**{"messages": SECOND, **changed}) == [reason]


async def test_what_follows_the_boundary_may_change_where_services_know_it() -> None:
    monday, tuesday = (f"Be kind.{CACHE_BOUNDARY}It is {day}." for day in ("Monday", "Tuesday"))
    marked = replace(MODEL, api="anthropic-messages")
    trace = Trace()
    await trace.call(model=marked, system=monday)
    assert await trace.call(model=marked, system=tuesday) == []
    trace = Trace()
    await trace.call(system=monday)
    assert await trace.call(system=tuesday) == ["systemSuffix"]


async def test_cache_that_the_service_lost() -> None:
    trace = Trace()
    trace.cache_read = 20_000
    await trace.call()
    assert await trace.call() == []
    trace.cache_read = 19_500
    assert await trace.call() == []
    trace.cache_read = 0
    assert await trace.call() == ["unexplained"]
    assert trace.told[0]["cache_read_before"] == 19_500


async def test_sessions_are_told_apart() -> None:
    one, two = Trace(), Trace()
    await one.call()
    assert await two.call(system="Be rude.") == []
    assert await one.call() == []


def _anthropic(request: ModelRequest) -> Mapping[str, Any]:
    return anthropic_body(request)


def _completions(request: ModelRequest) -> Mapping[str, Any]:
    return completions_body(request, compat_for(request.model))


@pytest.mark.parametrize(
    ("api", "build", "fields", "history"),
    [
        ("anthropic-messages", _anthropic, ("system", "tools"), ""),
        ("openai-completions", _completions, ("tools",), "messages"),
        ("openai-responses", responses_body, ("instructions", "tools"), "input"),
    ],
)
def test_prefix_is_byte_identical_between_two_turns(
    api: str, build: Any, fields: tuple[str, ...], history: str
) -> None:
    model = replace(MODEL, api=api)
    first = build(_request(model=model, session_id="s"))
    second = build(_request(model=model, session_id="s", messages=SECOND))
    assert _hash(first, fields) == _hash(second, fields)
    if history:
        before, after = first[history], second[history]
        assert _bytes(after[: len(before)]) == _bytes(before)
    other = build(_request(model=model, session_id="s", tools=(READ,)))
    assert _hash(first, fields) != _hash(other, fields)


def test_fingerprint_of_a_prefix_follows_its_bytes() -> None:
    first, second = cache_print(_request()), cache_print(_request(messages=SECOND))
    assert first.prefix == second.prefix
    assert second.messages[: len(first.messages)] == first.messages
    assert cache_print(_request(system="Be kind. ")).prefix == first.prefix
    assert cache_print(_request(system="Be Kind.")).prefix != first.prefix


def _hash(body: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    return digest(_bytes({field: body[field] for field in fields}))


def _bytes(value: Any) -> bytes:
    return json_encode(value)
