"""Carrying out commands: they pass the queue and are answered without the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.database import write_transaction
from sessions.commands import Command
from sessions.ended_records import ended_record
from sessions.live import record_emit_sync
from sessions.models import InboxItem, Run, Session
from sessions.queueing import MODES, mode_named
from sessions.receipts import Stored, effective_mode, item_store, principal_from_json
from sessions.services import reset_show, session_reset, transcript_replace
from sessions.stops import everything_stopped, run_stop


@dataclass(frozen=True, slots=True)
class CommandDone:
    """The stored message, and the answer if the command was all there was to do."""

    stored: Stored
    reply: str = ""


def command_run(
    *, command: Command, fields: Mapping[str, Any], source: str, source_id: str
) -> CommandDone:
    """Acts at once. `/new` with text behind it leaves the rest as the first message.

    Raises IntegrityError when the message was taken before; then nothing is done twice.
    """
    if command.name == "new" and command.rest:
        return CommandDone(_new_with_text(command.rest, fields, source, source_id))
    ended = {
        "outcome": InboxItem.Outcome.ANSWERED,
        "ended_at": timezone.now(),
        "queue_mode": "followup",
    }
    stored = item_store(fields={**fields, **ended}, source=source, source_id=source_id)
    reply = _ACTIONS[command.name](fields["session"], fields, command.rest)
    InboxItem.objects.filter(pk=stored.item.pk).update(detail=reply[:300])
    _show(fields["session"], stored.item.wire_id, reply)
    return CommandDone(stored, reply)


def _stop(session: Session, fields: Mapping[str, Any], rest: str) -> str:
    principal = principal_from_json(fields["principal"])
    reached = run_stop(principal=principal, session_key=session.key, kind="stop")
    if not reached:
        return _("Nothing is running.")
    return _("Stopped. %(count)s message(s) ended.") % {"count": len(reached)}


def _new_with_text(text: str, fields: Mapping[str, Any], source: str, source_id: str) -> Stored:
    """A new transcript with its first message, at once: a turn that takes the message must not
    find the old one, nor be among what is stopped."""
    session: Session = fields["session"]
    principal = principal_from_json(fields["principal"])
    with write_transaction():
        by = principal.name or principal.id
        ended = transcript_replace(session=session, reason="new", by=by)
        stored = item_store(fields={**fields, "text": text}, source=source, source_id=source_id)
    reset_show(session=session, ended=ended)
    return stored


def _new(session: Session, fields: Mapping[str, Any], rest: str = "") -> str:
    principal = principal_from_json(fields["principal"])
    session_reset(principal=principal, key=session.key, reason="new")
    return _("A new conversation begins. The old one stays in the history.")


def _queue(session: Session, fields: Mapping[str, Any], rest: str) -> str:
    if not rest:
        mode = effective_mode(session=session, item_mode="", origin=fields["origin"])
        return _("Queue mode: %(mode)s.") % {"mode": mode}
    if rest in ("default", "reset"):
        Session.objects.filter(pk=session.pk).update(queue_mode="")
        return _("Queue mode is the configured one again.")
    mode_or_none = mode_named(rest)
    if mode_or_none is None:
        return _("Unknown queue mode %(mode)s. Use one of: %(modes)s.") % {
            "mode": rest,
            "modes": ", ".join(MODES),
        }
    Session.objects.filter(pk=session.pk).update(queue_mode=mode_or_none)
    return _("Queue mode is now %(mode)s.") % {"mode": mode_or_none}


def _help(session: Session, fields: Mapping[str, Any], rest: str) -> str:
    return _(
        "/stop ends what runs. /new starts a new conversation. /queue steer|followup|collect|"
        "interrupt says what happens to messages sent meanwhile. /status shows what runs."
    )


def _status(session: Session, fields: Mapping[str, Any], rest: str) -> str:
    running = Run.objects.filter(session=session).exclude(state=Run.State.ENDED).first()
    waiting = InboxItem.objects.filter(session=session, outcome="", run=None).count()
    lines = [
        _("Agent %(agent)s, session %(key)s.") % {"agent": session.agent_slug, "key": session.key},
        _("Running since %(since)s.") % {"since": f"{running.started_at:%H:%M:%S} UTC"}
        if running
        else _("Nothing is running."),
        _("%(count)s message(s) waiting.") % {"count": waiting},
    ]
    if everything_stopped():
        lines.append(_("Everything is stopped by the switch."))
    return "\n".join(lines)


_ACTIONS: dict[str, Callable[[Session, Mapping[str, Any], str], str]] = {
    "stop": _stop,
    "new": _new,
    "queue": _queue,
    "help": _help,
    "status": _status,
}


def _show(session: Session, wire_id: str, reply: str) -> None:
    record = ended_record(
        session=session,
        wire=wire_id,
        state="final",
        outcome=InboxItem.Outcome.ANSWERED,
        text=reply,
        stop_reason="stop",
    )
    record_emit_sync(session_id=session.pk, record=record)
