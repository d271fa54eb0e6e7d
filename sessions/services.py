"""Changes to sessions: make, rename, set, start over, delete."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import Conflict, UserError
from agents.core.principal import Principal
from agents.database import write_transaction
from agents.selectors import default_agent_slug
from sessions.access import session_for_message, session_not_found, visible_sessions
from sessions.approvals.services import approvals_withdraw
from sessions.credential_turns import session_credential_move
from sessions.elevated import elevated_set
from sessions.hook_posts import reset_begins, transcript_began
from sessions.keys import is_main, main_key, session_key_normalise, web_key
from sessions.live import control_publish, record_emit_sync
from sessions.locks import session_lock
from sessions.models import InboundReceipt, Run, Session, Transcript
from sessions.options import level_chosen, model_chosen, thinking_chosen
from sessions.queueing import mode_named
from sessions.stops import stopped_show, waiting_stop
from sessions.wake import wake

MAX_LABEL = 64
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def session_create(
    *, principal: Principal, key: str = "", agent_id: str = "", label: str = "", model: str = ""
) -> Session:
    """A session under `key`, or under a fresh key of the agent. An existing own one is returned.

    Raises UserError for a bad key, label, model or agent.
    """
    agent = agent_id or default_agent_slug()
    chosen = session_key_normalise(key, default_agent=agent) if key else web_key(agent)
    session = session_for_message(key=chosen, principal=principal, origin={"kind": "web"})
    changes: dict[str, Any] = {}
    if label:
        changes["label"] = label
    if model:
        changes["model"] = model
    if changes:
        session = session_patch(principal=principal, key=session.key, changes=changes)
    _show(session, "create")
    return session


def session_patch(*, principal: Principal, key: str, changes: Mapping[str, Any]) -> Session:
    """Sets fields of a session; None clears. They are label, model (as people name it, with
    @credential), thinkingLevel, verboseLevel, reasoningLevel, traceLevel, elevatedLevel,
    queueMode, archived.

    Raises UserError that names the field, NotFound for a session of somebody else.
    """
    session = _own(principal, key)
    for name, value in changes.items():
        setter = _FIELDS.get(name)
        if setter is None:
            raise UserError(_("Unknown session field %(name)s.") % {"name": name})
        setter(session, value)
    session.updated_at = timezone.now()
    session.save(update_fields=[*_columns(changes), "updated_at"])
    _show(session, "patch")
    return session


def session_reset(*, principal: Principal, key: str, reason: str = "new") -> Session:
    """Starts another transcript under the same key; the old one stays. What runs or waits there
    is stopped.
    """
    session = _own(principal, key)
    with write_transaction():
        ended = transcript_replace(
            session=session, reason=reason, by=principal.name or principal.id
        )
    reset_show(session=session, ended=ended)
    return session


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a new transcript ended: runs, and the wire ids of messages that no turn had taken."""

    runs: tuple[str, ...]
    waiting: tuple[str, ...]


def transcript_replace(*, session: Session, reason: str, by: str) -> Replaced:
    """Starts another transcript; what runs is asked to end, and what waits ends.

    Within the caller's transaction; `reset_show` comes after it.
    """
    session_lock(session.pk)
    reset_begins(session=session, reason=reason)
    transcript_start(session=session, reason=reason)
    running = Run.objects.filter(session=session, stop_kind="").exclude(state=Run.State.ENDED)
    runs = tuple(running.values_list("id", flat=True))
    running.update(stop_kind="stop", stop_by=by[:120])
    if runs:
        approvals_withdraw(run_ids=runs, by=by)
    return Replaced(runs, waiting_stop(session=session, by=by))


def reset_show(*, session: Session, ended: Replaced) -> None:
    """Tells worker and watchers of a new transcript. Call it after the commit."""
    if ended.runs:
        control_publish({"t": "stop", "session": session.pk, "runs": ended.runs, "kind": "stop"})
        wake(session.pk)
    stopped_show(session=session, wires=ended.waiting, kind="stop")
    _show(session, "reset")


def transcript_start(*, session: Session, reason: str) -> Transcript:
    """A new current transcript; the one before is ended with `reason`. Within a transaction."""
    now = timezone.now()
    Transcript.objects.filter(session=session, ended_at=None).update(
        ended_at=now, end_reason=reason[:32]
    )
    transcript = Transcript.objects.create(session=session, session_started_at=now, updated_at=now)
    Session.objects.filter(pk=session.pk).update(
        current=transcript, updated_at=now, preview="", context_tokens=0
    )
    session_credential_move(session=session)
    transcript_began(session=session, began=transcript, reason=reason)
    session.current = transcript
    return transcript


def session_delete(*, principal: Principal, key: str) -> None:
    """Deletes a session with its transcripts and runs.

    Raises Conflict for a main session and for one with a turn that has not ended.
    """
    session = _own(principal, key)
    if is_main(session.key):
        raise Conflict(_("The main session of an agent cannot be deleted; start it over instead."))
    with write_transaction():
        session_lock(session.pk)
        if Run.objects.filter(session=session).exclude(state=Run.State.ENDED).exists():
            raise Conflict(_("A turn of this session has not ended; stop it first."))
        stopped = waiting_stop(session=session, by=principal.name or principal.id)
        InboundReceipt.objects.filter(item__session=session).update(note="session deleted")
        session.inbox.all().delete()
        Session.objects.filter(pk=session.pk).delete()
    stopped_show(session=session, wires=stopped, kind="stop")
    _show(session, "delete")


def _own(principal: Principal, key: str) -> Session:
    canonical = session_key_normalise(key, default_agent=default_agent_slug())
    session = visible_sessions(principal).filter(key=canonical).first()
    if session is None and principal.is_owner and canonical == main_key(canonical.split(":")[1]):
        return session_for_message(key=canonical, principal=principal)
    if session is None:
        raise session_not_found(key)
    return session


def _set_label(session: Session, value: Any) -> None:
    label = " ".join(str(value or "").split())
    if len(label) > MAX_LABEL:
        raise UserError(_("label is longer than 64 characters."))
    if _CONTROL.search(label):
        raise UserError(_("label has control characters; leave them out."))
    session.label = label


def _set_model(session: Session, value: Any) -> None:
    """A model as people name it; another one lets a pinned credential go."""
    if not value:
        session.model, session.profile, session.profile_pinned = "", "", False
        return
    chosen = model_chosen(text=str(value), agent=session.agent_slug)
    session.model = chosen.model.ref
    session.profile, session.profile_pinned = chosen.profile, bool(chosen.profile)


def _set_thinking(session: Session, value: Any) -> None:
    session.thinking = thinking_chosen(text=str(value or ""))


def _set_level(name: str) -> Callable[[Session, Any], None]:
    def set_level(session: Session, value: Any) -> None:
        setattr(session, name, level_chosen(name=name, text=str(value or "")))

    return set_level


def _set_queue_mode(session: Session, value: Any) -> None:
    mode = mode_named(str(value)) if value else ""
    if mode is None:
        raise UserError(_("queueMode %(mode)s is unknown.") % {"mode": value})
    session.queue_mode = mode


def _set_archived(session: Session, value: Any) -> None:
    session.archived_at = timezone.now() if value else None


# What each field of a patch changes; a turn may write the other columns at the same time.
_COLUMNS = {
    "label": ("label",),
    "displayName": ("label",),
    "model": ("model", "profile", "profile_pinned"),
    "thinkingLevel": ("thinking",),
    "verboseLevel": ("verbose",),
    "reasoningLevel": ("reasoning",),
    "traceLevel": ("trace",),
    "elevatedLevel": ("settings",),
    "queueMode": ("queue_mode",),
    "archived": ("archived_at",),
}


def _columns(changes: Mapping[str, Any]) -> list[str]:
    return [column for name in changes for column in _COLUMNS[name]]


_FIELDS: dict[str, Callable[[Session, Any], None]] = {
    "label": _set_label,
    "displayName": _set_label,
    "model": _set_model,
    "thinkingLevel": _set_thinking,
    "verboseLevel": _set_level("verbose"),
    "reasoningLevel": _set_level("reasoning"),
    "traceLevel": _set_level("trace"),
    "elevatedLevel": elevated_set,
    "queueMode": _set_queue_mode,
    "archived": _set_archived,
}


def _show(session: Session, reason: str) -> None:
    record_emit_sync(
        session_id=session.pk,
        record={
            "t": "session",
            "key": session.key,
            "agent": session.agent_slug,
            # Of a deleted session nobody could look up any more whose it was.
            "owner": session.owner_id,
            "reason": reason,
        },
    )
