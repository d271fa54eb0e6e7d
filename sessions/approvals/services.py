"""Changes: a decision, the end of the time for it, and its withdrawal.

Rows that belong to a run are made where the run is parked (`sessions.approvals.parking`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import Conflict, UserError
from agents.core.principal import APPROVALS, Principal
from agents.database import write_transaction
from sessions.approvals.remember import allowance_remember
from sessions.approvals.selectors import approval_find
from sessions.approvals.telling import approval_ended
from sessions.locks import session_lock
from sessions.models import Approval, Run

States = Approval.State
DECISIONS = (States.ALLOWED_ONCE, States.ALLOWED_ALWAYS, States.DENIED)
# What people also write for them.
_WORDS = {
    "once": States.ALLOWED_ONCE, "allow": States.ALLOWED_ONCE, "allowonce": States.ALLOWED_ONCE,
    "yes": States.ALLOWED_ONCE, "always": States.ALLOWED_ALWAYS,
    "allowalways": States.ALLOWED_ALWAYS, "no": States.DENIED, "reject": States.DENIED,
    "block": States.DENIED,
}  # fmt: skip


def approval_resolve(*, ref: str, decision: str, principal: Principal, through: str) -> Approval:
    """Decides; the turn that waits goes on when nothing else of it is left to decide.

    `ref` is an id, a code, or the unique beginning of one; `through` names the door. The first
    decision wins. Raises NotFound for what the caller may not know of, UserError for an unknown
    decision or without the right operator.approvals, Conflict when it is too late.
    """
    chosen = decision_named(decision)
    found = approval_find(ref=ref, principal=principal)
    if not principal.has_scope(APPROVALS):
        raise UserError(_("You may not decide this; it takes the right operator.approvals."))
    if chosen not in found.decisions:
        said = _("%(decision)s cannot be chosen here; use %(choices)s.")
        raise UserError(said % {"decision": chosen, "choices": ", ".join(found.decisions)})
    who = principal.name or principal.id
    with write_transaction():
        decided = _end(found, chosen, by=who, through=through)
        if decided is not None and chosen == States.ALLOWED_ALWAYS:
            allowance_remember(decided, who)
        if decided is not None:
            approval_ended(decided)
    if decided is None:
        raise Conflict(_too_late(Approval.objects.get(pk=found.pk)))
    return decided


def decision_named(text: str) -> Approval.State:
    """The decision that `text` means. Raises UserError with the words that can be used."""
    word = text.strip().lower()
    if word in DECISIONS:
        return Approval.State(word)
    if word in _WORDS:
        return _WORDS[word]
    said = _("decision %(word)s is unknown; use allow-once, allow-always or deny.")
    raise UserError(said % {"word": text or '""'})


def approvals_expire(*, now: datetime | None = None) -> int:
    """Ends every approval whose time is over; that counts as a denial. Returns how many."""
    now = now or timezone.now()
    due = Approval.objects.filter(state=States.PENDING, expires_at__lte=now)
    return sum(_expire(approval, now) for approval in due.select_related("run", "session"))


def approvals_withdraw(*, run_ids: Sequence[str], by: str) -> int:
    """Ends what these runs wait for, because they end without a decision. Returns how many.

    Within the caller's transaction, with the session locked.
    """
    waiting = Approval.objects.filter(run_id__in=run_ids, state=States.PENDING)
    rows = list(waiting.select_related("run", "session"))
    for approval in rows:
        _mark(approval, States.WITHDRAWN, by, "")
        approval.save(update_fields=_MARKED)
        approval_ended(approval)
    return len(rows)


_MARKED = ["state", "decided_at", "decided_by", "decided_through"]


def _end(found: Approval, chosen: Approval.State, *, by: str, through: str) -> Approval | None:
    """The decided row; None when somebody was quicker, or its time or its run is over."""
    if found.session_id is not None:
        session_lock(found.session_id)
    now = timezone.now()
    if Run.objects.filter(pk=found.run_id).exclude(stop_kind="").exists():
        return None
    _mark(found, chosen, by, through)
    pending = Approval.objects.filter(pk=found.pk, state=States.PENDING, expires_at__gt=now)
    changed = pending.update(**{name: getattr(found, name) for name in _MARKED})
    return found if changed else None


def _expire(approval: Approval, now: datetime) -> int:
    with write_transaction():
        if approval.session_id is not None:
            session_lock(approval.session_id)
        pending = Approval.objects.filter(pk=approval.pk, state=States.PENDING)
        if not pending.update(state=States.EXPIRED, decided_at=now):
            return 0
        approval.state, approval.decided_at = States.EXPIRED, now
        approval_ended(approval)
    return 1


def _mark(approval: Approval, state: Approval.State, by: str, through: str) -> None:
    approval.state, approval.decided_at = state, timezone.now()
    approval.decided_by, approval.decided_through = by[:120], through[:32]


def _too_late(approval: Approval) -> str:
    values = {"code": approval.slug, "by": approval.decided_by, "state": approval.state}
    if approval.state in DECISIONS:
        said = _("Too late: %(code)s was decided already (%(state)s by %(by)s).")
    elif approval.state == States.WITHDRAWN or approval.expires_at > timezone.now():
        said = _("Too late: the turn that asked for %(code)s was stopped.")
    else:
        said = _("Too late: the time for %(code)s is over, which counts as deny.")
    return said % values
