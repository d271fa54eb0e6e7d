"""/elevated: whether commands of a sandboxed session may leave the sandbox."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from agents.selectors import agent_snapshot
from sessions.command_actions.action import Asked, choices_line
from sessions.elevated import DEFAULT_WORDS, elevated_gates, elevated_level
from sessions.turns.sandboxes import session_sandbox
from tools.exec_security.elevated import LEVELS


def elevated(asked: Asked) -> str:
    """Shows or sets the level. Who may not leave the sandbox is told which keys say so."""
    choices = (*LEVELS, "default")
    word = asked.rest.lower()
    if not word:
        values = {"level": elevated_level(asked.session)}
        return _("Elevated commands: %(level)s.") % values + f" {choices_line(choices)}"
    if word not in (*LEVELS, *DEFAULT_WORDS):
        said = _("Elevated commands have no level %(level)s.") % {"level": asked.rest[:60]}
        return f"{said} {choices_line(choices)}"
    channel = str(asked.fields["origin"].get("kind", ""))
    if word in ("on", "ask", "full"):
        failing = elevated_gates(asked.session, principal=asked.principal, channel=channel)
        if failing:
            said = _("Elevated commands are not allowed here: %(keys)s.")
            return said % {"keys": ", ".join(failing)}
    session = asked.patch(elevatedLevel=None if word in DEFAULT_WORDS else word)
    said = _("Elevated commands are now %(level)s.") % {"level": elevated_level(session)}
    if _is_sandboxed(asked):
        return said
    return f"{said} {_('It has no effect now: this session has no sandbox.')}"


def _is_sandboxed(asked: Asked) -> bool:
    try:
        snapshot = agent_snapshot(slug=asked.session.agent_slug)
    except OpenClawError:
        return False
    return session_sandbox(snapshot, asked.session.key) is not None
