"""Reasoning left out of what is sent, of what is shown, or of both.

Options: `history` (true unless told otherwise) leaves the reasoning of earlier turns out of
requests; the turn in progress keeps its own, because services refuse a tool's result without it.
`shown` (false) keeps reasoning from being streamed to people; it stays in the transcript.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from agents.core.abort import AbortSignal
from agents.core.messages import Message, UserMessage
from agents.core.model import ModelEvent, ModelRequest, StreamFn, ThinkingDelta
from agents.providers.common.replay import thinking_stripped
from agents.providers.wrappers.compose import WrapperSettingsError
from agents.providers.wrappers.context import WrapperContext, closing


def drop_thinking(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream` with reasoning left out as the options say."""
    in_history, shown = _flag(context, "history", True), _flag(context, "shown", False)

    def changed(request: ModelRequest) -> ModelRequest:
        if not in_history:
            return request
        return replace(request, messages=earlier_stripped(request.messages))

    async def quiet(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        async with closing(stream(changed(request), signal)) as events:
            async for event in events:
                if not isinstance(event, ThinkingDelta):
                    yield event

    return quiet if shown else lambda request, signal: stream(changed(request), signal)


def earlier_stripped(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without the reasoning before the last words of the user."""
    last = max((n for n, m in enumerate(messages) if isinstance(m, UserMessage)), default=0)
    return (*thinking_stripped(messages[:last]), *messages[last:])


def _flag(context: WrapperContext, name: str, default: bool) -> bool:
    value = context.options.get(name, default)
    if not isinstance(value, bool):
        raise WrapperSettingsError(f"{name} must be true or false")
    return value
