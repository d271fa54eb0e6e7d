"""A conversation that goes on with another service, for every pair of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.providers.registry import ClientPool
from tests.agents.providers.conformance.vendors import APIS, CHECKERS, vendor_model
from tests.agents.providers.harness import Harness
from tests.model_server.fixture import ModelServer

pytestmark = pytest.mark.exhaustive

PIXEL = "iVBORw0KGgoAAAANSUhEUg=="
TWO_CALLS = '[[think:Both.]] [[tool:read {"path": "x"}]] [[tool:write {"path": "y"}]] [[parallel]]'
PAIRS = [(first, second) for first in APIS for second in APIS]


def results(message: AssistantMessage, text: str) -> list[ToolResultMessage]:
    """One result for each call, the first with an image."""
    contents: list[tuple[Text | Image, ...]] = [
        (Text(f"{text} {number}"),) for number in range(len(message.tool_calls))
    ]
    contents[0] = (*contents[0], Image(PIXEL, "image/png"))
    return [
        ToolResultMessage(call.id, call.name, content)
        for call, content in zip(message.tool_calls, contents, strict=True)
    ]


def signatures(history: Sequence[Message]) -> set[str]:
    """All vendor data of the answers."""
    blocks = [b for m in history if isinstance(m, AssistantMessage) for b in m.content]
    signed = {b.signature for b in blocks if isinstance(b, Text | Thinking)}
    calls = {b.thought_signature for b in blocks if isinstance(b, ToolCall)}
    return {signature for signature in signed | calls if signature}


async def two_turns(llm: Harness, history: list[Message], name: str) -> None:
    """Two turns of `llm` behind `history`, one of them with tools; each request is checked."""
    history.append(UserMessage(f"{TWO_CALLS} [[final:{name} is done.]]"))
    for _ in range(2):
        outcome = await llm.call(*history, thinking="low", model={"reasoning": True})
        CHECKERS[llm.model.api](llm.last_body())
        history.append(outcome.done)
        if outcome.done.tool_calls:
            history += results(outcome.done, f"{name} result")
    history.append(UserMessage(f"[[echo:{name} says bye.]]"))
    outcome = await llm.call(*history, thinking="low", model={"reasoning": True})
    CHECKERS[llm.model.api](llm.last_body())
    assert outcome.done.text == f"{name} says bye."
    history.append(outcome.done)


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_it_works(
    pool: ClientPool, model_server: ModelServer, first: str, second: str
) -> None:
    model_server.reset()
    one = Harness(vendor_model(model_server, first), pool, model_server)
    two = Harness(vendor_model(model_server, second), pool, model_server)
    history: list[Message] = []
    await two_turns(one, history, "One")
    await two.call(*history, "and now?")
    if first != second:
        taken_over = json.dumps(two.last_body())
        assert not [s for s in signatures(history) if json.dumps(s)[1:-1] in taken_over]
    await two_turns(two, history, "Two")
    sent = json.dumps(two.last_body())
    for said in ("One result 0", "One result 1", "One is done.", "One says bye.", "Two result 1"):
        assert said in sent
    await two_turns(one, history, "Three")
    assert "Two says bye." in json.dumps(one.last_body())
