"""Carrying out commands: they pass the queue and are answered without the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from agents.core.errors import OpenClawError, UserError
from agents.database import write_transaction
from sessions.command_actions import approve, context, control, elevated, levels, model, overview
from sessions.command_actions.action import Action, Asked
from sessions.commands import Command
from sessions.context.job import OPTION as COMPACT
from sessions.ended_records import ended_record
from sessions.live import record_emit_sync
from sessions.models import InboxItem, Session
from sessions.options import model_chosen
from sessions.receipts import Stored, item_store, principal_from_json
from sessions.services import reset_show, transcript_replace
from sessions.skill_commands import skill_message

ACTIONS: dict[str, Action] = {
    "help": overview.help_text,
    "status": overview.status,
    "context": context.context,
    "skill": overview.skills,
    "stop": control.stop,
    "approve": approve.approve,
    "new": control.new,
    "queue": control.queue,
    "model": model.model,
    "think": levels.think,
    "verbose": levels.level_action("verbose"),
    "reasoning": levels.level_action("reasoning"),
    "trace": levels.level_action("trace"),
    "elevated": elevated.elevated,
}


@dataclass(frozen=True, slots=True)
class CommandDone:
    """The stored message, and the answer if the command was all there was to do."""

    stored: Stored
    reply: str = ""


def commands_run(
    *, commands: Sequence[Command], fields: Mapping[str, Any], source: str, source_id: str
) -> CommandDone:
    """Acts at once. `/new` with text behind it leaves the rest as the first message.

    Raises IntegrityError when the message was taken before; then nothing is done twice.
    """
    first = commands[0]
    if first.name == "new" and first.rest:
        return CommandDone(_new_with_text(first.rest, fields, source, source_id))
    if first.name == "compact":
        return CommandDone(_compact(first.rest, fields, source, source_id))
    if first.name == "skill" and first.rest:
        return _skill(first.rest, fields, source, source_id)
    stored = _answered(fields, source, source_id)
    reply = "\n".join(_act(command, fields) for command in commands)
    return _told(stored, fields, reply)


def command_refuse(
    *, reply: str, fields: Mapping[str, Any], source: str, source_id: str
) -> CommandDone:
    """Stores a message that ends with `reply` instead of an answer of the model.

    Raises IntegrityError when it was taken before.
    """
    return _told(_answered(fields, source, source_id), fields, reply)


def options_chosen(*, inline: Mapping[str, str], session: Session) -> dict[str, str]:
    """Options at the beginning of a message, as the inbox keeps them.

    Raises UserError for a model or credential that is not known.
    """
    options = {name: value for name, value in inline.items() if name != "queue"}
    if "model" in options:
        chosen = model_chosen(text=options["model"], agent=session.agent_slug)
        options["model"] = chosen.model.ref
        if chosen.profile:
            options["profile"] = chosen.profile
    return options


def _act(command: Command, fields: Mapping[str, Any]) -> str:
    # With all its columns; one command may have changed what the next one reads.
    session = Session.objects.get(pk=fields["session"].pk)
    try:
        return ACTIONS[command.name](Asked(session, command.rest, fields))
    except UserError as error:
        return error.message


def _answered(fields: Mapping[str, Any], source: str, source_id: str) -> Stored:
    ended = {
        "outcome": InboxItem.Outcome.ANSWERED,
        "ended_at": timezone.now(),
        "queue_mode": "followup",
    }
    return item_store(fields={**fields, **ended}, source=source, source_id=source_id)


def _told(stored: Stored, fields: Mapping[str, Any], reply: str) -> CommandDone:
    InboxItem.objects.filter(pk=stored.item.pk).update(detail=reply[:300])
    _show(fields["session"], stored.item.wire_id, reply)
    return CommandDone(stored, reply)


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


def _skill(rest: str, fields: Mapping[str, Any], source: str, source_id: str) -> CommandDone:
    """A message for the model that names the skill."""
    try:
        text = skill_message(rest=rest, agent=fields["session"].agent_slug)
    except OpenClawError as error:
        return command_refuse(
            reply=error.message, fields=fields, source=source, source_id=source_id
        )
    changed = {**fields, "text": text}
    return CommandDone(item_store(fields=changed, source=source, source_id=source_id))


def _compact(text: str, fields: Mapping[str, Any], source: str, source_id: str) -> Stored:
    """A job for the session's lane: only there may the transcript be changed. What runs is asked
    to end."""
    wanted = fields["options"].get(COMPACT) or {"instructions": text}
    options = {**fields["options"], COMPACT: wanted}
    changed = {**fields, "options": options, "queue_mode": "interrupt"}
    return item_store(fields=changed, source=source, source_id=source_id)


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
