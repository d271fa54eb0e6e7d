"""Model calls that do not give up: retries, other credentials, other models, a shorter history.

`AttemptStream` is a StreamFn around another one. It decides nothing itself: `next_step` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace

import structlog

from agents.attempts.contracts import AttemptHost, FailedAttempt, Slot
from agents.attempts.position import Position
from agents.core.abort import AbortSignal
from agents.core.attempts import (
    AttemptPolicy,
    AttemptState,
    Backoff,
    Compact,
    Fallback,
    Retry,
    Rotate,
    Step,
    Stop,
    Truncate,
    next_step,
)
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, StopReason, Thinking
from agents.core.model import Done, Failed, ModelEvent, ModelRequest, Restart, Start, StreamFn

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Call:
    """What one model call has been through."""

    request: ModelRequest
    signal: AbortSignal
    number: int = 0
    state: AttemptState = field(default_factory=AttemptState)
    failed: Failed | None = None
    shown: bool = False
    repaired: bool = False
    tried: list[str] = field(default_factory=list)


class AttemptStream:
    """A StreamFn for one turn. Belongs to one event loop.

    It remembers across the calls of the turn which model and credential answered last. A call
    that fails after it had shown something is made again behind a `Restart` event. Ends with
    exactly one Done or Failed, as every StreamFn; never raises for what a service does.
    """

    def __init__(
        self, host: AttemptHost, stream: StreamFn, policy: AttemptPolicy | None = None
    ) -> None:
        self._host = host
        self._stream = stream
        self._policy = policy or AttemptPolicy()
        self._position = Position(host)

    async def __call__(
        self, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[ModelEvent, None]:
        """Calls the model of the request, or whichever of the chain answers."""
        call = _Call(request, signal, state=AttemptState(policy=self._policy))
        slot = await self._begin(call)
        while slot is not None:
            refusal = await self._host.reserve(call.request)
            if refusal:
                yield _failed(call.request, ProviderError(refusal, reason="budget"))
                return
            async with aclosing(self._attempt(call, slot)) as events:
                async for event in events:
                    yield event
            if call.failed is None:
                return
            shown, call.shown = call.shown, False
            slot = await self._after(call, slot, call.failed)
            if slot is not None and call.signal.aborted:
                await self._host.amend(Stop("the run was stopped"))
                break
            if slot is not None and shown:
                yield Restart()
        yield self._last(call)

    async def _begin(self, call: _Call) -> Slot | None:
        """The slot to start with, or None when there is none; then `call.failed` says why."""
        slot = await self._position.current(call.request)
        if isinstance(slot, ProviderError):
            call.failed = _failed(call.request, slot)
            return None
        call.state = replace(call.state, limit=self._position.limit)
        return await self._prepared(call, slot)

    async def _prepared(self, call: _Call, slot: Slot) -> Slot | None:
        """The slot with a valid token and the request fitted to it; goes on when it has none."""
        found = await self._host.ready(slot)
        if isinstance(found, ProviderError):
            return await self._after(call, slot, _failed(call.request, found))
        self._position.slot = found
        call.number += 1
        model = call.request.model
        if found.model == model:
            return found
        if (found.model.provider, found.model.id) == (model.provider, model.id):
            call.request = replace(call.request, model=found.model)
        else:
            call.request = await self._host.rebuild(found.model, repaired=call.repaired)
        return found

    async def _attempt(self, call: _Call, slot: Slot) -> AsyncGenerator[ModelEvent, None]:
        """One call. Everything but a failure is passed on."""
        call.failed, call.shown = None, False
        async with aclosing(_generator(self._stream, call)) as events:
            async for event in events:
                if isinstance(event, Failed):
                    call.failed = event
                    return
                if isinstance(event, Done):
                    await self._host.succeeded(slot, event.message, call.number)
                elif not isinstance(event, Start):
                    call.shown = True
                yield event

    async def _after(self, call: _Call, slot: Slot, failed: Failed) -> Slot | None:
        """Does what the failure calls for. The slot to go on with, or None at the end."""
        error = failed.error
        call.failed = failed
        call.tried.append(error.message)
        call.state = await self._counted(call, slot, error)
        step = next_step(call.state, error)
        log.info(
            "model.attempt_failed",
            model=slot.model.ref,
            profile=slot.model.profile,
            attempt=call.number,
            reason=error.reason,
            step=step.name,
        )
        attempt = FailedAttempt(slot, call.number, failed.message, error, step)
        await self._host.failed(attempt, opens_next=not isinstance(step, Stop))
        return await self._act(call, slot, error, step)

    async def _counted(self, call: _Call, slot: Slot, error: ProviderError) -> AttemptState:
        later = () if error.reason == "aborted" else await self._later(call)
        window = slot.model.context_window
        return replace(
            call.state,
            credentials_left=self._position.left,
            models_left=len(later),
            larger_left=sum(1 for _, size in later if size > window),
            pinned=self._position.pinned,
            refreshable=slot.refreshable,
            repairable=_has_thinking(call.request),
        )

    async def _later(self, call: _Call) -> list[tuple[int, int]]:
        return list(await self._host.later(self._position.index, call.request))

    async def _act(self, call: _Call, slot: Slot, error: ProviderError, step: Step) -> Slot | None:
        state = call.state
        if isinstance(step, Stop):
            await self._host.rest(slot, error)
            return None
        if isinstance(step, Compact | Truncate):
            return await self._shorten(call, slot, error, step)
        if isinstance(step, Rotate):
            await self._host.rest(slot, error)
            call.state = replace(_same_model(state), rotations=state.rotations + 1)
            return await self._prepared(call, self._position.rotate())
        if isinstance(step, Fallback):
            await self._host.rest(slot, error)
            return await self._fall_back(call, slot, step)
        return await self._again(call, slot, step)

    async def _again(self, call: _Call, slot: Slot, step: Retry | Backoff) -> Slot | None:
        """The same model and credential, after a wait, a repair or a renewal of the token."""
        await _rest(step.wait, call.signal)
        state = replace(call.state, attempts=call.state.attempts + 1)
        if isinstance(step, Backoff):
            call.state = replace(state, waits=state.waits + 1)
            return await self._prepared(call, slot)
        call.state = replace(state, retries=state.retries + 1)
        if step.change == "repair":
            call.state = replace(call.state, repaired=True)
            call.repaired = True
            call.request = await self._host.rebuild(slot.model, repaired=True)
        elif step.change == "refresh":
            call.state = replace(call.state, refreshed=True)
            renewed = await self._host.refresh(slot)
            if isinstance(renewed, ProviderError):
                return await self._after(call, slot, _failed(call.request, renewed))
            slot = renewed
        return await self._prepared(call, slot)

    async def _shorten(
        self, call: _Call, slot: Slot, error: ProviderError, step: Compact | Truncate
    ) -> Slot | None:
        """A shorter request, or the next step when it could not be made shorter."""
        if isinstance(step, Compact):
            shrank = await self._host.compact(call.request, error)
            call.state = replace(
                call.state, compactions=call.state.compactions + 1, compactable=shrank
            )
        else:
            shrank = await self._host.truncate(call.request)
            call.state = replace(call.state, truncated=True)
        if shrank and not call.signal.aborted:
            call.state = replace(call.state, attempts=call.state.attempts + 1)
            call.request = await self._host.rebuild(slot.model, repaired=call.repaired)
            return await self._prepared(call, slot)
        if call.signal.aborted:
            call.failed = _failed(call.request, _aborted())
            return None
        other = next_step(call.state, error)
        await self._host.amend(other)
        return await self._act(call, slot, error, other)

    async def _fall_back(self, call: _Call, slot: Slot, step: Fallback) -> Slot | None:
        later = await self._later(call)
        floor = slot.model.context_window if step.larger else 0
        wanted = [index for index, window in later if window > floor]
        found = await self._position.move(wanted)
        if isinstance(found, ProviderError):
            call.tried.append(found.message)
            await self._host.amend(Stop("no other model can be called now"))
            return None
        await self._host.warn(f"{slot.model.ref} failed; {found.model.ref} was asked instead.")
        call.state = AttemptState(limit=self._position.limit, policy=self._policy)
        return await self._prepared(call, found)

    def _last(self, call: _Call) -> Failed:
        """The end of a call that nothing answered; names every model's error once."""
        failed = call.failed or _failed(call.request, ProviderError("No model could be called."))
        if call.signal.aborted:
            return _failed(call.request, _aborted(), failed.message)
        texts = list(dict.fromkeys(call.tried))
        if len(texts) < 2:
            return failed
        error = _with_text(failed.error, " | ".join(texts))
        return Failed(replace(failed.message, error_message=error.message), error)


async def _generator(stream: StreamFn, call: _Call) -> AsyncGenerator[ModelEvent, None]:
    """The events of the wrapped stream; one that ends without an end or raises has failed."""
    try:
        async for event in stream(call.request, call.signal):
            yield event
            if isinstance(event, Done | Failed):
                return
    except ProviderError as error:
        yield _failed(call.request, error)
        return
    except Exception as error:
        log.exception("model_stream_raised")
        yield _failed(call.request, ProviderError(f"{type(error).__name__}: {error}"))
        return
    yield _failed(call.request, ProviderError("The model's answer stopped without an end."))


def _same_model(state: AttemptState) -> AttemptState:
    """The counters for another credential of the same model."""
    return replace(state, attempts=state.attempts + 1, retries=0, waits=0, refreshed=False)


def _has_thinking(request: ModelRequest) -> bool:
    return any(
        isinstance(block, Thinking)
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for block in message.content
    )


async def _rest(seconds: float, signal: AbortSignal) -> None:
    if seconds <= 0 or signal.aborted:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await signal.wait()


def _aborted() -> ProviderError:
    return ProviderError("The run was aborted.", reason="aborted")


def _failed(
    request: ModelRequest, error: ProviderError, message: AssistantMessage | None = None
) -> Failed:
    model = request.model
    base = message or AssistantMessage(
        content=(), api=model.api, provider=model.provider, model=model.id
    )
    stop: StopReason = "aborted" if error.reason == "aborted" else "error"
    return Failed(replace(base, stop_reason=stop, error_message=error.message), error)


def _with_text(error: ProviderError, text: str) -> ProviderError:
    return ProviderError(
        text,
        reason=error.reason,
        http_status=error.http_status,
        retry_after=error.retry_after,
        observed_tokens=error.observed_tokens,
    )
