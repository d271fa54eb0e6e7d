"""The one way in: a message is stored before anybody is told that it was taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import IntegrityError
from django.utils.translation import gettext as _

from agents.core.clean_text import clean_text
from agents.core.errors import UserError
from agents.core.principal import Principal
from agents.selectors import default_agent_slug
from sessions.access import session_for_message, session_not_found
from sessions.artifacts import attachments_store
from sessions.command_service import CommandDone, command_refuse, commands_run, options_chosen
from sessions.commands import Command, Inline, commands_parse, options_split
from sessions.failpoints import failpoint
from sessions.hook_posts import message_received
from sessions.keys import session_key_normalise
from sessions.live import control_publish, record_emit_sync
from sessions.models import Entry, InboundReceipt, InboxItem, Run, Session
from sessions.options import thinking_chosen
from sessions.queueing import QueueMode, mode_named
from sessions.receipts import Stored, item_store, principal_to_json
from sessions.skill_commands import skill_command
from sessions.wake import wake

MAX_TEXT = 512_000
AcceptStatus = Literal["started", "in_flight", "ok", "error"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a message. `status` is "started" for a new one, "in_flight" for a repeat that
    still runs, "ok" or "error" for a repeat that ended. `reply` is set when a command was answered
    without the model; then the message has already ended.
    """

    run_id: str
    session_id: str
    session_key: str
    status: AcceptStatus
    item_id: int
    reply: str = ""


def message_accept(
    *,
    principal: Principal,
    session_key: str,
    text: str,
    run_id: str,
    source: str,
    source_id: str = "",
    attachments: Sequence[Mapping[str, Any]] = (),
    origin: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    queue_mode: str = "",
) -> Accepted:
    """Stores a message and rings a worker. The same run id again changes nothing.

    Raises UserError for bad fields and NotFound for a session of somebody else. When it returns,
    the message is committed: it will end with exactly one outcome.
    """
    _check(text, run_id, attachments)
    text = clean_text(text)
    key = session_key_normalise(session_key, default_agent=default_agent_slug())
    commands = commands_parse(text) if not attachments else []
    inline = None if commands else options_split(text)
    # Otherwise the unique run id finds a repeat, without a query of its own.
    if (commands or inline or attachments) and (repeat := _repeat(principal, run_id)):
        return repeat
    mode = _mode(queue_mode)
    session = session_for_message(key=key, principal=principal, origin=origin)
    _check_leaf(session, options or {})
    references = attachments_store(principal=principal, session_key=key, attachments=attachments)
    fields: dict[str, Any] = {
        "session": session,
        "person_id": principal.id,
        "principal": principal_to_json(principal),
        "wire_id": run_id,
        "text": text,
        "attachments": references,
        "origin": dict(origin),
        "options": _options(options or {}),
        "queue_mode": mode or "",
    }
    if not commands and not inline and not attachments:
        commands = _skill_of(text, session)
    problem, source_id = _inline(fields, inline) if inline else "", source_id or run_id
    try:
        done = _stored(commands, problem, fields, source, source_id)
    except IntegrityError:
        if repeat := _repeat(principal, run_id) or _taken(source, source_id, run_id, session):
            return repeat
        _check_there(session)
        raise
    item = done.stored.item
    if not done.reply:
        failpoint("accepted")
    message_received(item=item, session=session, principal=principal)
    if not done.reply:
        _announce(session, done.stored)
    return Accepted(run_id, session.id, key, "started", item.pk, done.reply)


def _skill_of(text: str, session: Session) -> list[Command]:
    found = skill_command(text=text, agent=session.agent_slug) if text.startswith("/") else None
    return [found] if found else []


def _check_there(session: Session) -> None:
    """Raises NotFound for a session that was deleted this very moment."""
    if not Session.objects.filter(pk=session.pk).exists():
        raise session_not_found(session.key)


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: value for name, value in options.items() if value is not None}
    # "" and "default" say what holds anyway.
    if level := thinking_chosen(text=str(chosen.pop("thinking", ""))):
        chosen["thinking"] = level
    return chosen


def _inline(fields: dict[str, Any], inline: Inline) -> str:
    """Takes the options at the beginning of the message; a sentence when one cannot be."""
    try:
        options = options_chosen(inline=inline.options, session=fields["session"])
    except UserError as error:
        return error.message
    fields["options"] = {**fields["options"], **options}
    fields["queue_mode"] = inline.options.get("queue") or fields["queue_mode"]
    fields["text"] = inline.text
    return ""


def _stored(
    commands: Sequence[Command], problem: str, fields: dict[str, Any], source: str, source_id: str
) -> CommandDone:
    if problem:
        return command_refuse(reply=problem, fields=fields, source=source, source_id=source_id)
    if commands:
        return commands_run(commands=commands, fields=fields, source=source, source_id=source_id)
    return CommandDone(item_store(fields=fields, source=source, source_id=source_id))


def _check(text: str, run_id: str, attachments: Sequence[Mapping[str, Any]]) -> None:
    if not run_id or len(run_id) > 200 or not run_id.isprintable():
        raise UserError(_("idempotencyKey must be 1 to 200 printable characters."))
    if not text.strip() and not attachments:
        raise UserError(_("message is empty; send text or an attachment."))
    if len(text) > MAX_TEXT:
        said = _("message is longer than %(limit)s characters; attach it as a file.")
        raise UserError(said % {"limit": MAX_TEXT})
    if "\x00" in text:
        raise UserError(_("message has a NUL character; remove it."))


def _check_leaf(session: Session, options: Mapping[str, Any]) -> None:
    leaf = options.get("expectedLeafEntryId")
    if not leaf:
        return
    entries = Entry.objects.filter(transcript_id=session.current_id, entry_id=leaf)
    if session.current_id is None or not entries.exists():
        raise UserError(
            f"expectedLeafEntryId {leaf!r} names no entry of the conversation; load it again."
        )


def _mode(name: str) -> QueueMode | None:
    if not name:
        return None
    mode = mode_named(name)
    if mode is None:
        raise UserError(
            f"queueMode {name!r} is unknown; use steer, followup, collect or interrupt."
        )
    return mode


def _repeat(principal: Principal, run_id: str) -> Accepted | None:
    item = (
        InboxItem.objects.filter(person_id=principal.id, wire_id=run_id)
        .select_related("session", "run")
        .first()
    )
    if item is None:
        return None
    status: AcceptStatus = "in_flight"
    if item.outcome:
        failed = item.run is not None and item.run.outcome == Run.Outcome.ERROR
        status = "error" if failed or item.outcome == InboxItem.Outcome.REFUSED else "ok"
    return Accepted(run_id, item.session_id, item.session.key, status, item.pk)


def _taken(source: str, source_id: str, run_id: str, session: Session) -> Accepted | None:
    """What became of a message that its source sent again under another run id."""
    receipt = InboundReceipt.objects.filter(source=source[:120], source_id=source_id[:200]).first()
    if receipt is None:
        return None
    item = InboxItem.objects.filter(receipt=receipt).select_related("person").first()
    if item is None:
        # It was deleted together with its session.
        return Accepted(run_id, session.id, session.key, "ok", 0)
    return _repeat(item.person.principal(), item.wire_id)


def _announce(session: Session, stored: Stored) -> None:
    item = stored.item
    if stored.interrupted:
        runs = list(stored.interrupted)
        control_publish({"t": "stop", "session": session.pk, "runs": runs, "kind": "interrupt"})
    wake(session.pk)
    record_emit_sync(
        session_id=session.pk,
        record={
            "t": "queue.add",
            "key": session.key,
            "agent": session.agent_slug,
            "item": {
                "runId": item.wire_id,
                "text": item.text[:2000],
                "at": int(item.accepted_at.timestamp() * 1000),
            },
        },
    )
