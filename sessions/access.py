"""Whose session is it? The owner is a column; a session of somebody else does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from agents.core.errors import NotFound
from agents.core.principal import Principal
from agents.selectors import agent_snapshot
from sessions.keys import agent_of
from sessions.models import Session

# design 12: what people other than an owner may open under an agent.
# The columns that taking a message needs.
_NEEDED = ("id", "key", "agent_slug", "owner_id", "queue_mode", "current_id", "title")
_MEMBER_PREFIXES = ("web:", "openai:", "openai-user:")


def visible_sessions(principal: Principal) -> QuerySet[Session]:
    """The sessions that `principal` may know of: all for an owner, the own ones otherwise."""
    sessions = Session.objects.all()
    return sessions if principal.is_owner else sessions.filter(owner_id=principal.id)


def session_for_message(
    *, key: str, principal: Principal, origin: Mapping[str, Any] | None = None
) -> Session:
    """The session of a canonical key, made on first use.

    Raises NotFound for a session of somebody else or an agent that is not there, and UserError for
    an agent that is switched off.
    """
    session = Session.objects.filter(key=key).only(*_NEEDED).first()
    if session is None:
        session = _session_make(key, principal, origin or {})
    if session.owner_id != principal.id and not principal.is_owner:
        raise session_not_found(key)
    return session


def session_not_found(key: str) -> NotFound:
    """The same answer for a missing session and for one of somebody else."""
    return NotFound(_("There is no session %(key)s.") % {"key": key}, details={"sessionKey": key})


def _session_make(key: str, principal: Principal, origin: Mapping[str, Any]) -> Session:
    agent = agent_of(key)
    agent_snapshot(slug=agent)
    rest = key.split(":", 2)[2]
    if not principal.is_owner and not rest.startswith(_MEMBER_PREFIXES):
        raise session_not_found(key)
    session, _made = Session.objects.get_or_create(
        key=key,
        defaults={"agent_slug": agent, "owner_id": principal.id, "origin": dict(origin)},
    )
    return session
