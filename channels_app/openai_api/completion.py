"""One chat completion: a message to an agent, and its answer as it comes."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.core.principal import Principal
from agents.database import run_db
from agents.draining import is_draining
from channels_app.gateway.hub.follower import Follower, RunEnded
from channels_app.gateway.hub.hub import Hub
from channels_app.openai_api.chunks import DONE, KEEP_ALIVE, Completion, finish_reason, sse
from channels_app.openai_api.completion_request import CompletionRequest
from channels_app.openai_api.errors import run_failed
from channels_app.openai_api.prompt import prompt_from
from channels_app.openai_api.session_choice import MODEL_HEADER, choice_make, model_check
from sessions.inbox import Accepted, message_accept
from sessions.keys import agent_of
from sessions.models import InboxItem
from sessions.stops import run_stop

_KEEP_ALIVE_SECONDS = 15.0
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class Order:
    """A checked request, ready to be sent to an agent."""

    principal: Principal
    session_key: str
    text: str
    attachments: list[dict[str, Any]]
    options: dict[str, Any]
    completion: Completion
    wants_usage: bool


async def order_make(
    *, request: CompletionRequest, headers: Mapping[str, str], principal: Principal
) -> Order:
    """Decides agent, session and prompt. Raises ApiError."""
    choice = await run_db(
        choice_make,
        headers=headers,
        model=request.model,
        user=request.user,
        principal=principal,
    )
    stated = headers.get(MODEL_HEADER, "").strip()
    if stated:
        await run_db(model_check, stated, agent_of(choice.session_key))
    prompt = prompt_from(request.messages, remembers=choice.remembers)
    effort = request.reasoning_effort
    options = {
        "systemPrompt": prompt.system or None,
        "model": stated or None,
        "thinking": effort if effort in _EFFORTS else None,
        "maxTokens": request.max_completion_tokens or request.max_tokens,
    }
    return Order(
        principal=principal,
        session_key=choice.session_key,
        text=prompt.text,
        attachments=prompt.attachments,
        options={name: value for name, value in options.items() if value is not None},
        completion=Completion(f"chatcmpl_{uuid.uuid4()}", request.model, int(time.time())),
        wants_usage=request.wants_usage,
    )


async def order_answer(order: Order, hub: Hub) -> RunEnded:
    """Sends the order and waits for the end. Cancelling it stops the run."""
    with hub.follow(order.session_key, order.completion.id) as follower:
        try:
            await _send(order, follower)
            return await follower.wait()
        except asyncio.CancelledError:
            _hung_up(order, hub)
            raise


async def order_stream(order: Order, hub: Hub) -> AsyncGenerator[bytes, None]:
    """The answer as server-sent events. Until the first item nothing is promised: errors before
    it are raised. Closing it before the end stops the run."""
    with hub.follow(order.session_key, order.completion.id) as follower:
        await _send(order, follower)
        try:
            yield order.completion.chunk({"role": "assistant", "content": ""})
            async for part in _parts(order, follower):
                yield part
        finally:
            if follower.ended is None:
                _hung_up(order, hub)


async def _parts(order: Order, follower: Follower) -> AsyncGenerator[bytes, None]:
    completion, said = order.completion, ""
    while True:
        try:
            item = await asyncio.wait_for(follower.next(), _KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield KEEP_ALIVE
            continue
        if isinstance(item, RunEnded):
            break
        said += item
        yield completion.chunk({"content": item})
    if item.state == "error":
        yield sse(run_failed(item).body())
        yield DONE
        return
    # What was never heard (a lost record) is still part of the answer.
    if item.text.startswith(said) and len(item.text) > len(said):
        yield completion.chunk({"content": item.text[len(said) :]})
    yield completion.chunk({}, finish=finish_reason(item))
    if order.wants_usage:
        yield completion.usage_chunk(item)
    yield DONE


async def _send(order: Order, follower: Follower) -> None:
    accepted: Accepted = await run_db(
        message_accept,
        principal=order.principal,
        session_key=order.session_key,
        text=order.text,
        run_id=order.completion.id,
        source=f"http:{order.principal.id}",
        attachments=order.attachments,
        origin={"kind": "http"},
        options=order.options,
    )
    if accepted.reply:
        key = order.session_key
        follower.end(RunEnded(accepted.run_id, "final", key, accepted.reply, "stop"))


def _hung_up(order: Order, hub: Hub) -> None:
    """The caller is gone and nobody else waits for this run; a server that stops is no such case:
    the run goes on without it."""
    if not is_draining():
        hub.spawn(run_db(_stop_if_alone, order))


def _stop_if_alone(order: Order) -> None:
    wire = order.completion.id
    item = InboxItem.objects.filter(person_id=order.principal.id, wire_id=wire).first()
    if item is None or item.outcome:
        return
    # design 12: others may wait for the same turn.
    if item.run_id and InboxItem.objects.filter(run_id=item.run_id).count() > 1:
        return
    run_stop(
        principal=order.principal,
        session_key=order.session_key,
        run_id=wire,
        kind="stop",
    )
