"""The level of elevated commands that a session keeps."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from agents.core.errors import UserError
from agents.core.principal import Principal
from sessions.models import Session
from tools.exec_rules import exec_book
from tools.exec_security.elevated import LEVELS, Asker, failing_gates

# Where it stands in `Session.settings`.
KEY = "elevated"
DEFAULT_WORDS = ("default", "inherit", "reset")


def elevated_own(session: Session) -> str:
    """What the session says itself, "" for nothing."""
    level = (session.settings or {}).get(KEY)
    return level if level in LEVELS else ""


def elevated_level(session: Session) -> str:
    """What holds in a session: its own level, or that of its agent."""
    return elevated_own(session) or exec_book(session.agent_slug).elevated.level


def elevated_gates(session: Session, *, principal: Principal, channel: str) -> list[str]:
    """The keys that keep a sender's commands in the sandbox; [] when none does."""
    asker = Asker(
        channel=channel or "web",
        names=(principal.id, principal.name),
        is_owner=principal.is_owner,
        agent=session.agent_slug,
    )
    return failing_gates(exec_book(session.agent_slug).elevated, asker)


def elevated_set(session: Session, value: Any) -> None:
    """Puts a level into the row, which the caller saves; nothing gives it back to the agent.

    Raises UserError with all levels.
    """
    plain = str(value or "").strip().lower()
    if plain and plain not in (*LEVELS, *DEFAULT_WORDS):
        said = _("elevatedLevel %(text)s is unknown; use one of: %(known)s.")
        raise UserError(said % {"text": plain[:60], "known": ", ".join(LEVELS)})
    rest = {key: kept for key, kept in (session.settings or {}).items() if key != KEY}
    session.settings = {**rest, KEY: plain} if plain in LEVELS else rest
