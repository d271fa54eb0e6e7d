"""One log line for each call of a model: who, how large, how long, how it ended.

Options: `logPayload` true also logs what is sent and what comes back. Without it no content is
ever logged, and keys never are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import structlog

from agents.core.abort import AbortSignal
from agents.core.json_codec import message_to_json
from agents.core.model import Done, Failed, ModelEvent, ModelRequest, StreamFn
from agents.providers.common.usage import usage_estimate
from agents.providers.wrappers.context import WrapperContext, closing

log = structlog.get_logger(__name__)


def request_log(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream`, logged. Events pass through unchanged."""
    with_payload = context.options.get("logPayload") is True

    async def run(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        line = _sizes(request, context) | (_payload(request) if with_payload else {})
        begun, first = monotonic(), None
        outcome: dict[str, Any] = {"outcome": "abandoned"}
        try:
            async with closing(stream(request, signal)) as events:
                async for event in events:
                    first = first or monotonic()
                    if isinstance(event, Done | Failed):
                        outcome = _outcome(event, with_payload=with_payload)
                    yield event
        finally:
            log.info(
                "model_request",
                **line,
                **outcome,
                first_event_ms=_ms(begun, first),
                total_ms=_ms(begun, monotonic()),
            )

    return run


def _sizes(request: ModelRequest, context: WrapperContext) -> dict[str, Any]:
    model = request.model
    return {
        "model": model.ref,
        "api": model.api,
        "credential": model.profile,
        "agent": context.agent,
        "session": context.session_id or request.session_id,
        "run": context.run_id,
        "messages": len(request.messages),
        "tools": len(request.tools),
        "system_chars": len(request.system),
        "input_tokens_estimated": usage_estimate(request, ()).input,
        "thinking": request.thinking,
    }


def _payload(request: ModelRequest) -> dict[str, Any]:
    return {
        "system": request.system,
        "sent": [message_to_json(message) for message in request.messages],
        "tool_names": [tool.name for tool in request.tools],
    }


def _outcome(event: Done | Failed, *, with_payload: bool) -> dict[str, Any]:
    message = event.message
    facts: dict[str, Any] = {
        "outcome": message.stop_reason,
        "input_tokens": message.usage.input,
        "output_tokens": message.usage.output,
        "cache_read_tokens": message.usage.cache_read,
        "cache_write_tokens": message.usage.cache_write,
        "tool_calls": len(message.tool_calls),
    }
    if isinstance(event, Failed):
        facts |= {"reason": event.error.reason, "http_status": event.error.http_status}
    if with_payload:
        facts["received"] = message_to_json(message)
    return facts


def _ms(begun: float, ended: float | None) -> int | None:
    return None if ended is None else round((ended - begun) * 1000)
