"""With whose rights, and under which channel's rules, something goes on that a turn began."""

from __future__ import annotations

from dataclasses import replace

from agents.core.principal import Principal
from sessions.models import Run
from sessions.receipts import principal_from_json
from sessions.wakes import is_wake


def begun_by(run: Run) -> tuple[Principal, str]:
    """The rights of the message that began a turn, as far as its person has them still, and the
    channel that its rules were those of."""
    now = run.person.principal()
    item = run.items.filter(wire_id=run.wire_id).first()
    if item is None:
        return replace(now, is_owner=False, scopes=()), run.origin
    then = principal_from_json(item.principal)
    rights = replace(
        then,
        is_owner=then.is_owner and now.is_owner,
        scopes=tuple(scope for scope in then.scopes if now.has_scope(scope)),
    )
    channel = item.origin.get("channel") if is_wake(item) else ""
    return rights, str(channel or run.origin)
