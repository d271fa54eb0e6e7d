"""agent and agent.wait: a message whose end is an answer."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field

from agents.core.messages import now_ms
from agents.core.principal import WRITE
from agents.database import run_db
from agents.selectors import agent_snapshot, default_agent_slug
from channels_app.gateway.call import Call
from channels_app.gateway.errors import UNAVAILABLE, GatewayError, invalid
from channels_app.gateway.frames import dumps
from channels_app.gateway.hub.follower import Follower, RunEnded, ended_from_status
from channels_app.gateway.methods.sending import (
    Attachment,
    Key,
    RunId,
    check_agent,
    message_options,
    message_take,
)
from channels_app.gateway.registry import method
from channels_app.gateway.validation import Params
from sessions.keys import agent_of, main_key
from sessions.run_selectors import RunStatus, run_status

Word = Annotated[str, Field(max_length=512)]


class AgentRun(Params):
    """`timeout` is in seconds; without a session the agent's main one is meant."""

    message: str
    idempotency_key: RunId
    agent_id: Word | None = None
    session_key: Key | None = None
    session_id: Word | None = None
    thinking: Word | None = None
    model: Word | None = None
    attachments: Annotated[list[Attachment], Field(max_length=20)] = Field(default_factory=list)
    timeout: Annotated[int, Field(ge=0, le=86_400)] | None = None
    extra_system_prompt: Annotated[str, Field(max_length=100_000)] | None = None
    queue_mode: Word = ""
    label: Word | None = None
    deliver: bool | None = None
    best_effort_deliver: bool | None = None
    to: Word | None = None
    reply_to: Word | None = None
    channel: Word | None = None
    reply_channel: Word | None = None
    account_id: Word | None = None
    reply_account_id: Word | None = None
    thread_id: Word | None = None
    group_id: Word | None = None
    group_channel: Word | None = None
    group_space: Word | None = None
    lane: Word | None = None
    internal_events: Any = None
    input_provenance: Any = None


class AgentWait(Params):
    """A timeout ends the waiting only, never the run."""

    run_id: RunId
    timeout_ms: Annotated[int, Field(ge=0, le=86_400_000)] = 30_000


@method("agent", AgentRun, scope=WRITE)
async def agent_run(call: Call, params: AgentRun) -> Any:
    """Answers twice under one id: accepted, and later how the run ended."""
    if params.deliver and not params.best_effort_deliver:
        raise invalid("deliver: there is no channel to deliver to; leave it out")
    key = await _session_key(call, params)
    check_agent(key, params.agent_id)
    with call.hub.follow(key, params.idempotency_key) as follower:
        async with call.connection.lock(key):
            watch = call.hub.watch(call.connection, key, params.session_key or "")
            watch.hold()
            try:
                accepted = await message_take(
                    call,
                    key,
                    params.message,
                    params.idempotency_key,
                    params.attachments,
                    params.queue_mode,
                    _options(params),
                )
                watch.confirm()
                answer = call.answer(
                    {
                        "runId": accepted.run_id,
                        "sessionKey": key,
                        "agentId": agent_of(key),
                        "status": "accepted",
                        "acceptedAt": now_ms(),
                    }
                )
            finally:
                watch.release()
                if not watch.confirmed and not watch.is_reader:
                    call.hub.unwatch(call.connection, key)
        if accepted.status in ("ok", "error"):
            status: RunStatus = await call.db(run_status, run_id=params.idempotency_key)
            follower.end(ended_from_status(status))
        _answer_end(call, await follower.wait())
    return answer


def _options(params: AgentRun) -> dict[str, Any]:
    return message_options(
        thinking=params.thinking,
        model=params.model,
        timeoutMs=params.timeout * 1000 if params.timeout is not None else None,
        systemPrompt=params.extra_system_prompt,
    )


async def _session_key(call: Call, params: AgentRun) -> str:
    if params.session_key is not None:
        return await call.session_key(params.session_key)
    agent = params.agent_id.lower() if params.agent_id else await run_db(default_agent_slug)
    await run_db(agent_snapshot, slug=agent)
    if call.principal.is_owner:
        return main_key(agent)
    return f"agent:{agent}:web:{call.principal.id}"


def _answer_end(call: Call, ended: RunEnded) -> None:
    if ended.state == "final":
        call.answer(
            {
                "runId": ended.wire,
                "status": "ok",
                "summary": "completed",
                "result": {"payloads": _payloads(ended), "meta": _meta(ended)},
            }
        )
        return
    text = ended.error_message or ("aborted" if ended.state == "aborted" else "the run failed")
    error = GatewayError(UNAVAILABLE, text, details={"reason": ended.error_kind or ended.state})
    payload = {"runId": ended.wire, "status": "error", "summary": text}
    call.connection.outbox.put(
        dumps(
            {
                "type": "res",
                "id": call.request_id,
                "ok": False,
                "error": error.body(call.connection.protocol),
                "payload": payload,
            }
        )
    )


def _payloads(ended: RunEnded) -> list[dict[str, Any]]:
    payloads: list[dict[str, Any]] = []
    if ended.reasoning:
        payloads.append({"text": ended.reasoning, "mediaUrl": None, "isReasoning": True})
    if ended.text:
        payloads.append({"text": ended.text, "mediaUrl": None})
    return payloads


def _meta(ended: RunEnded) -> dict[str, Any]:
    duration = (ended.ended_at or 0) - (ended.started_at or 0)
    return {
        "durationMs": duration if ended.started_at and ended.ended_at else None,
        "stopReason": ended.stop_reason or "stop",
        "mergedInto": ended.merged_into or None,
        **({"trace": ended.trace} if ended.trace else {}),
        "agentMeta": {
            "sessionKey": ended.session_key,
            "provider": ended.provider,
            "model": ended.model,
            "usage": ended.usage,
        },
    }


@method("agent.wait", AgentWait, scope=WRITE)
async def agent_wait(call: Call, params: AgentWait) -> Any:
    """How a run ended, or that it has not within the time."""
    status: RunStatus = await call.db(run_status, run_id=params.run_id)
    if status.state == "unknown":
        # It may be on its way on another connection.
        return await _wait_unknown(call, params)
    with call.hub.follow(status.session_key, params.run_id) as follower:
        status = await call.db(run_status, run_id=params.run_id)
        if status.ended:
            return _waited(ended_from_status(status))
        return await _wait(follower, params)


async def _wait(follower: Follower, params: AgentWait) -> dict[str, Any]:
    try:
        return _waited(await asyncio.wait_for(follower.wait(), params.timeout_ms / 1000))
    except TimeoutError:
        return {"runId": params.run_id, "status": "timeout"}


async def _wait_unknown(call: Call, params: AgentWait) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + params.timeout_ms / 1000
    while (left := deadline - loop.time()) > 0:
        await asyncio.sleep(min(left, 0.25))
        status: RunStatus = await call.db(run_status, run_id=params.run_id)
        if status.state != "unknown":
            rest = max(0, int((deadline - loop.time()) * 1000))
            found: dict[str, Any] = await agent_wait.handler(
                call, params.model_copy(update={"timeout_ms": rest})
            )
            return found
    return {"runId": params.run_id, "status": "timeout"}


def _waited(ended: RunEnded) -> dict[str, Any]:
    answer = {
        "runId": ended.wire,
        "status": "ok" if ended.state == "final" else "error",
        "startedAt": ended.started_at,
        "endedAt": ended.ended_at,
        "stopReason": ended.stop_reason or None,
        "mergedInto": ended.merged_into or None,
    }
    if ended.state != "final":
        answer["error"] = ended.error_message or ended.state
    return {name: value for name, value in answer.items() if value is not None}
