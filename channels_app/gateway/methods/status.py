"""health, status, system-presence: how the gateway is."""

from __future__ import annotations

import time
from typing import Any

from agents.catalog.resolve import default_model_ref
from agents.core.messages import now_ms
from agents.core.principal import READ, Principal
from agents.database import run_db
from agents.selectors import agents_list, default_agent_slug
from channels_app.gateway.call import Call
from channels_app.gateway.hello import uptime_ms
from channels_app.gateway.registry import method
from channels_app.gateway.session_rows import milliseconds, session_row
from channels_app.gateway.validation import Params
from channels_app.gateway.version import VERSION
from sessions.models import Session
from sessions.run_selectors import active_runs
from sessions.selectors import sessions_count, sessions_list
from sessions.stops import everything_stopped

_RECENT_IN_HEALTH = 5
_RECENT_IN_STATUS = 10
# Monitors ask often; what they see may be this old (seconds). `probe` looks anew.
_HEALTH_SECONDS = 5.0
_health: dict[tuple[str, bool], tuple[float, dict[str, Any]]] = {}


class Health(Params):
    """`probe` looks anew instead of answering from memory."""

    probe: bool | None = None


class Status(Params):
    """`includeChannelSummary` is accepted; there are no channels to sum up yet."""

    include_channel_summary: bool | None = None


class Empty(Params):
    """No params."""


@method("health", Health, scope="")
async def health(call: Call, params: Health) -> Any:
    """That the gateway answers, its agents, and (with operator.read) the latest sessions."""
    principal = call.principal
    may_read = principal.has_scope(READ)
    key = (principal.id, may_read)
    made, payload = _health.get(key, (float("-inf"), {}))
    if params.probe or time.monotonic() - made > _HEALTH_SECONDS:
        begun = time.perf_counter()
        payload = await run_db(_health_payload, principal, may_read)
        payload["durationMs"] = round((time.perf_counter() - begun) * 1000)
        _health.clear()
        _health[key] = (time.monotonic(), payload)
    return {**payload, "ts": now_ms()}


def _health_payload(principal: Principal, may_read: bool) -> dict[str, Any]:
    sessions: dict[str, Any] = {"count": 0, "recent": []}
    agents: list[dict[str, Any]] = []
    if may_read:
        recent = sessions_list(principal=principal, limit=_RECENT_IN_HEALTH)
        sessions = {
            "count": sessions_count(principal=principal),
            "recent": [_short(session) for session in recent],
        }
        agents = [
            {
                "agentId": agent.slug,
                "name": agent.name or agent.slug,
                "isDefault": agent.is_default,
                "heartbeat": {"enabled": False},
            }
            for agent in agents_list()
        ]
    return {
        "ok": True,
        "channels": {},
        "channelOrder": [],
        "channelLabels": {},
        "heartbeatSeconds": 0,
        "defaultAgentId": default_agent_slug(),
        "agents": agents,
        "sessions": sessions,
    }


def _short(session: Session) -> dict[str, Any]:
    updated = milliseconds(session.updated_at) or 0
    return {"key": session.key, "updatedAt": updated, "age": max(0, now_ms() - updated)}


@method("status", Status, scope=READ)
async def status(call: Call, params: Status) -> Any:
    """What runs, the latest sessions, and whether everything is stopped."""
    return await call.db(_status_payload)


def _status_payload(*, principal: Principal) -> dict[str, Any]:
    runs = active_runs(principal=principal)
    active = {run.session.key for run in runs}
    recent = sessions_list(principal=principal, limit=_RECENT_IN_STATUS)
    return {
        "runtimeVersion": VERSION,
        "uptimeMs": uptime_ms(),
        "heartbeat": {"defaultAgentId": default_agent_slug(), "agents": []},
        "channelSummary": [],
        "queuedSystemEvents": [],
        "stopped": everything_stopped(),
        "activeRuns": [
            {
                "runId": run.wire_id,
                "internalRunId": run.id,
                "sessionKey": run.session.key,
                "agentId": run.agent_slug,
                "state": run.state,
                "startedAt": milliseconds(run.started_at),
            }
            for run in runs
        ],
        "sessions": {
            "count": sessions_count(principal=principal),
            "defaults": {"model": default_model_ref(agent_model="")},
            "recent": [session_row(session, active=active) for session in recent],
        },
    }


@method("system-presence", Empty, scope=READ)
async def system_presence(call: Call, params: Empty) -> Any:
    """Who is connected."""
    return call.hub.presence.entries(call.principal)
