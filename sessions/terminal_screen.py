"""What a terminal shows: the answer on standard output, everything else on standard error."""

from __future__ import annotations

from typing import Any

from django.core.management.base import OutputWrapper
from django.utils.translation import gettext as _

from agents.core.errors import UserError
from agents.selectors import default_agent_slug
from sessions.keys import agent_of, main_key, session_key_normalise
from sessions.run_selectors import RunStatus

# A model's text must not steer the terminal: everything below a blank but tab and line feed,
# DEL, and the C1 block.
_STEERING = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])


class TerminalScreen:
    """Shows an answer as it comes. `line_open` says that the last line has no end yet."""

    def __init__(self, stdout: OutputWrapper, stderr: OutputWrapper) -> None:
        self._stdout, self._stderr = stdout, stderr
        self.line_open = False

    def text(self, piece: str) -> None:
        """Writes a piece at once, without anything that steers the terminal."""
        plain = piece.translate(_STEERING)
        if not plain:
            return
        self._stdout.write(plain, ending="")
        self._stdout.flush()
        self.line_open = not plain.endswith("\n")

    def note(self, line: str) -> None:
        """Writes a line beside the answer."""
        self.line_end()
        self._stderr.write(f"[{line.translate(_STEERING)}]")
        self._stderr.flush()

    def line_end(self) -> None:
        """Ends an open line."""
        if self.line_open:
            self._stdout.write("")
            self._stdout.flush()
            self.line_open = False

    def ending(self, status: RunStatus) -> None:
        """Says how the turn ended when it did not end well."""
        self.line_end()
        if status.state == "aborted":
            self.note(_("stopped"))
        elif status.state == "error":
            self.note(_("failed: %(reason)s") % {"reason": status.error_message})


class SilentScreen:
    """Shows nothing, for callers that want the end only."""

    def text(self, piece: str) -> None:
        """Nothing."""

    def note(self, line: str) -> None:
        """Nothing."""


def status_json(status: RunStatus) -> dict[str, Any]:
    """The end of a turn for programs."""
    failed = status.state == "error"
    return {
        "runId": status.run_id,
        "sessionKey": status.session_key,
        "sessionId": status.session_id,
        "agent": status.agent,
        "status": status.state,
        "text": status.text,
        "usage": status.usage,
        "provider": status.provider,
        "model": status.model,
        "stopReason": status.stop_reason,
        "mergedInto": status.merged_into or None,
        "startedAt": status.started_at.isoformat() if status.started_at else None,
        "endedAt": status.ended_at.isoformat() if status.ended_at else None,
        "error": {"kind": status.error_kind, "message": status.error_message} if failed else None,
    }


def session_key_chosen(*, agent: str, key: str) -> str:
    """The session that the options --agent and --session-key name; the main one by default.

    Raises UserError when the key belongs to another agent than the one that was named.
    """
    slug = agent.lower() or default_agent_slug()
    if not key:
        return main_key(slug)
    chosen = session_key_normalise(key, default_agent=slug)
    if agent and agent_of(chosen) != slug:
        text = _("--session-key %(key)s belongs to another agent than --agent %(agent)s.")
        raise UserError(text % {"key": key, "agent": agent})
    return chosen
