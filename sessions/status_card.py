"""How a session stands, as the tool `session_status` tells it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from agents.core.errors import NotFound, UserError
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from sessions.access import session_not_found
from sessions.command_actions.action import Asked
from sessions.command_actions.overview import status
from sessions.keys import agent_of, session_key_normalise
from sessions.models import Session
from sessions.receipts import principal_to_json
from sessions.selectors import session_visible
from sessions.services import session_patch
from sessions.system_events.selectors import system_events_waiting


def session_named(*, context: ToolContext, key: str) -> Session:
    """The session of a key, of an alias, or the turn's own for "" and "current".

    Raises NotFound for what the sender of the message may not see.
    """
    if key.strip().lower() in ("", "current"):
        key = context.session_key
    canonical = session_key_normalise(key.strip(), default_agent=agent_of(context.session_key))
    try:
        return session_visible(principal=context.principal, key=canonical)
    except NotFound:
        # By the name that was asked for: what it stands for is nobody's business.
        raise session_not_found(key) from None


def session_model_set(*, principal: Principal, session: Session, model: str) -> Session:
    """Sets the model of a session as /model does; "default" gives it back to the agent.

    Raises UserError with the nearest name for an unknown one.
    """
    wanted = model.strip()
    if not wanted:
        raise UserError("model: is empty; give provider/model, an alias, or default.")
    value = None if wanted.lower() in ("default", "inherit", "reset") else wanted
    return session_patch(principal=principal, key=session.key, changes={"model": value})


def status_card(*, context: ToolContext, session: Session) -> str:
    """Time in the person's zone, model, levels, context, tokens, cost and queue; one a line."""
    asked = Asked(
        session,
        "",
        {"origin": {"kind": context.channel}, "principal": principal_to_json(context.principal)},
    )
    waiting = len(system_events_waiting(session_key=session.key))
    lines = [
        f"Now it is {_now(context.principal.zone)}.",
        status(asked),
        f"Tokens so far: {session.input_tokens:,} in, {session.output_tokens:,} out; "
        f"cost ${session.cost:.4f}.",
    ]
    if waiting:
        lines.append(f"{waiting} system event(s) will be told with the next turn.")
    return "\n".join(lines)


def status_details(session: Session) -> dict[str, Any]:
    """The same as facts, for pages and logs."""
    return {
        "sessionKey": session.key,
        "agentId": session.agent_slug,
        "model": session.model or None,
        "contextTokens": session.context_tokens,
        "inputTokens": session.input_tokens,
        "outputTokens": session.output_tokens,
        "cost": session.cost,
    }


def _now(zone: str) -> str:
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone, place = "UTC", ZoneInfo("UTC")
    moment: datetime = timezone.now().astimezone(place)
    return f"{moment:%A %Y-%m-%d %H:%M:%S %Z} ({zone})"
