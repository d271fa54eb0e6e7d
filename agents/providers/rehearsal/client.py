"""The rehearsal model as a ModelClient: offline, deterministic, word by word."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantBlock, AssistantMessage, StopReason, Text, ToolCall
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Start,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
)
from agents.providers.common.body import json_encode
from agents.providers.common.params import param
from agents.providers.common.usage import usage_estimate
from agents.providers.rehearsal.steps import step_next
from agents.providers.rehearsal.view import Step, View

REHEARSAL_MODEL = ModelInfo(
    provider="rehearsal", id="rehearsal", api="rehearsal", name="Rehearsal", input=("text", "image")
)

# Between words, in milliseconds; `delayMs` in the model's params or the request's extra.
DELAY_MS = 4.0
_WORD = re.compile(r"\S+\s*|\s+")


class RehearsalClient:
    """Answers from a script. Needs no network and no key."""

    def __init__(self, model: ModelInfo = REHEARSAL_MODEL) -> None:
        self.model = model

    async def stream(
        self, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[ModelEvent, None]:
        """The next answer. Never raises; ends with exactly one Done or Failed."""
        view = View.of(request)
        step = step_next(view)
        calls = view.tool_calls(step)
        delay = _delay_seconds(request)
        shown = ""
        yield Start()
        for event in _events(step, calls):
            if signal.aborted:
                yield _aborted(request, shown)
                return
            if isinstance(event, TextDelta):
                shown += event.delta
            yield event
            # Also without a delay, so that other turns and an abort get their chance.
            await asyncio.sleep(delay)
        content: list[AssistantBlock] = [Text(step.text)] if step.text else []
        stop: StopReason = "toolUse" if calls else "stop"
        yield Done(_message(request, [*content, *calls], stop))

    async def aclose(self) -> None:
        """Nothing is open."""


def _delay_seconds(request: ModelRequest) -> float:
    stated = param(request, "delayMs")
    return (stated if isinstance(stated, int | float) else DELAY_MS) / 1000


def _events(step: Step, calls: Sequence[ToolCall]) -> Iterator[ModelEvent]:
    for word in _WORD.findall(step.text):
        yield TextDelta(0, word)
    for index, call in enumerate(calls, 1 if step.text else 0):
        yield ToolCallDelta(index, call.id, call.name, json_encode(call.arguments).decode())
        yield ToolCallEnd(index, call)


def _message(
    request: ModelRequest, content: Sequence[AssistantBlock], stop: StopReason, error: str = ""
) -> AssistantMessage:
    model = request.model
    return AssistantMessage(
        content=tuple(content),
        api=model.api,
        provider=model.provider,
        model=model.id,
        usage=usage_estimate(request, content),
        stop_reason=stop,
        error_message=error or None,
    )


def _aborted(request: ModelRequest, shown: str) -> Failed:
    error = ProviderError("The run was aborted.", reason="aborted")
    content = [Text(shown)] if shown else []
    return Failed(_message(request, content, "aborted", error.message), error)
