"""`model_call_started` and `model_call_ended` around every single call of a model."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.model import Done, Failed, ModelEvent, ModelRequest, Start, StreamFn

ObserveFn = Callable[[str, Mapping[str, Any]], None]


class WatchedStream:
    """A StreamFn that tells `observe` when a call of the one inside begins and ends."""

    def __init__(self, stream: StreamFn, run_id: str, observe: ObserveFn) -> None:
        self._stream = stream
        self._run_id = run_id
        self._observe = observe
        self._calls = 0

    async def __call__(
        self, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[ModelEvent, None]:
        """Passes every event on. Never raises what the inner stream does not."""
        call = _Call(self._facts(request))
        self._observe("model_call_started", call.facts)
        events = self._stream(request, signal)
        try:
            async for event in events:
                call.see(event)
                yield event
        finally:
            self._observe("model_call_ended", call.ended())
            if (close := getattr(events, "aclose", None)) is not None:
                await close()

    def _facts(self, request: ModelRequest) -> dict[str, Any]:
        self._calls += 1
        return {
            "runId": self._run_id,
            "sessionId": request.session_id,
            "callId": f"{self._run_id}:model:{self._calls}",
            "provider": request.model.provider,
            "model": request.model.id,
            "api": request.model.api,
        }


class _Call:
    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self._began = time.perf_counter()
        self._first: float | None = None
        self._end: Done | Failed | None = None

    def see(self, event: ModelEvent) -> None:
        if isinstance(event, Done | Failed):
            self._end = event
        elif self._first is None and not isinstance(event, Start):
            self._first = time.perf_counter()

    def ended(self) -> dict[str, Any]:
        end = self._end
        outcome = "completed" if isinstance(end, Done) else "error" if end else "aborted"
        event = {**self.facts, "durationMs": _ms(time.perf_counter() - self._began)}
        event["outcome"] = outcome
        if self._first is not None:
            event["timeToFirstTokenMs"] = _ms(self._first - self._began)
        if isinstance(end, Failed):
            event["errorCategory"] = end.error.reason
        return event


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
