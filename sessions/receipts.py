"""How a message is stored: its receipt, its place in the inbox, the rights of its sender."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from agents.core.principal import Principal
from agents.database import write_transaction
from agents.rows import row_update
from sessions.approvals.services import approvals_withdraw
from sessions.models import InboundReceipt, InboxItem, Run, Session
from sessions.policies import queue_policy
from sessions.queueing import QueueMode, mode_named

_ALONE = (
    *("compact", "expectedLeafEntryId", "systemPrompt", "model", "profile"),
    *("thinking", "verbose", "reasoning", "trace", "maxTokens"),
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored message, and the ids of running turns that were asked to end for it."""

    item: InboxItem
    interrupted: tuple[str, ...] = ()


def item_store(*, fields: Mapping[str, Any], source: str, source_id: str) -> Stored:
    """Receipt and inbox item in one transaction; in interrupt mode a running turn is asked to end.

    Raises IntegrityError when the receipt or the run id exists already.
    """
    session: Session = fields["session"]
    now = timezone.now()
    digest = hashlib.sha256(fields["text"].encode()).hexdigest()
    mode = effective_mode(session=session, item_mode=fields["queue_mode"], origin=fields["origin"])
    with write_transaction():
        # The session first, as everywhere: it locks the row before the new ones refer to it.
        changes = {"updated_at": now, "last_interaction_at": now}
        row_update(Session, where={"id": session.pk}, changes=changes)
        receipt = InboundReceipt.objects.create(
            source=source[:120], source_id=source_id[:200], digest=digest, received_at=now
        )
        item = InboxItem.objects.create(receipt=receipt, accepted_at=now, **fields)
        running = _interrupt(session, item) if mode == "interrupt" else ()
    return Stored(item, running)


def _interrupt(session: Session, item: InboxItem) -> tuple[str, ...]:
    # A parked run too: whoever interrupts does not want to decide any more.
    open_runs = Run.objects.filter(session=session, stop_kind="").exclude(state=Run.State.ENDED)
    ids = tuple(open_runs.values_list("id", flat=True))
    if ids:
        open_runs.update(stop_kind="interrupt", stop_by=item.wire_id[:120])
        approvals_withdraw(run_ids=ids, by=str(item.principal.get("name", "")))
    return ids


def effective_mode(*, session: Session, item_mode: str, origin: Mapping[str, Any]) -> QueueMode:
    """The queue mode of a message: its own, the session's, the channel's, the configured one."""
    policy = queue_policy()
    channel = str(origin.get("channel") or origin.get("kind") or "")
    return (
        mode_named(item_mode)
        or mode_named(session.queue_mode)
        or policy.by_channel.get(channel)
        or policy.mode
    )


def stands_alone(options: Mapping[str, Any]) -> bool:
    """Whether a message has options that the other messages of a turn cannot share."""
    return any(name in options for name in _ALONE)


def principal_to_json(principal: Principal) -> dict[str, Any]:
    """The sender's rights as they travel with a stored message."""
    return {
        "id": principal.id,
        "isOwner": principal.is_owner,
        "name": principal.name,
        "zone": principal.zone,
        "language": principal.language,
        "scopes": list(principal.scopes),
    }


def principal_from_json(data: Mapping[str, Any]) -> Principal:
    """The reverse of `principal_to_json`."""
    return Principal(
        id=data["id"],
        is_owner=bool(data.get("isOwner")),
        name=data.get("name", ""),
        zone=data.get("zone", "UTC"),
        language=data.get("language", "en"),
        scopes=tuple(data.get("scopes", ())),
    )
