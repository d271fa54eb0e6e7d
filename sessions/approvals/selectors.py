"""Reads: which decisions are waited for, and who may know of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import NotFound, UserError
from agents.core.principal import Principal
from sessions.models import Approval, Run

# A shorter beginning of an id names nothing.
SHORTEST_PREFIX = 4


def visible_approvals(principal: Principal) -> QuerySet[Approval]:
    """The approvals that `principal` may know of: all for an owner, else of own sessions."""
    approvals = Approval.objects.select_related("run", "session")
    return approvals if principal.is_owner else approvals.filter(session__owner_id=principal.id)


def approvals_pending(*, principal: Principal, session_key: str = "") -> list[Approval]:
    """What can be decided now, oldest first; of one session if it is named."""
    waiting = visible_approvals(principal).filter(
        state=Approval.State.PENDING, expires_at__gt=timezone.now()
    )
    if session_key:
        waiting = waiting.filter(session__key=session_key)
    return list(waiting.order_by("created_at", "id"))


def approvals_ended(*, principal: Principal, limit: int = 50) -> list[Approval]:
    """What was decided, ran out of time or was withdrawn, newest first."""
    ended = visible_approvals(principal).exclude(state=Approval.State.PENDING)
    return list(ended.order_by("-created_at", "-id")[:limit])


def approval_find(*, ref: str, principal: Principal) -> Approval:
    """One approval by its id, its code, or the unique beginning of either.

    Codes of ended ones may come again, so that one which waits goes first. Raises NotFound, also
    for what the caller may not know of, and UserError when several begin alike.
    """
    named, wanted = ref.strip(), ref.strip().lower()
    visible = visible_approvals(principal)
    exact = visible.filter(Q(pk__in=[named, wanted]) | Q(slug=wanted)).order_by(
        "-created_at", "-id"
    )
    found = _first(exact)
    if found is not None:
        return found
    alike = _beginning(visible, wanted) if len(wanted) >= SHORTEST_PREFIX else []
    if len(alike) > 1:
        codes = ", ".join(approval.slug for approval in alike)
        said = _("%(ref)s names several approvals; use one of the codes %(codes)s.")
        raise UserError(said % {"ref": ref, "codes": codes})
    if not alike:
        raise NotFound(_("There is no approval %(ref)s.") % {"ref": ref})
    return alike[0]


def run_approvals(*, run_id: str, entry_id: str) -> dict[str, Approval]:
    """What was asked about one batch of calls, by call id."""
    rows = Approval.objects.filter(run_id=run_id, entry_id=entry_id)
    return {approval.call_id: approval for approval in rows}


def run_waits(*, run_id: str) -> bool:
    """Whether a parked run waits for a decision."""
    return Approval.objects.filter(run_id=run_id, state=Approval.State.PENDING).exists()


def sessions_waiting(session_ids: Collection[str]) -> set[str]:
    """Which of these sessions have a run that waits for a decision. Asks nothing for none."""
    if not session_ids:
        return set()
    waiting = Approval.objects.filter(
        state=Approval.State.PENDING, run__session_id__in=session_ids, run__state=Run.State.PARKED
    )
    return set(waiting.order_by().values_list("run__session_id", flat=True))


def _first(exact: QuerySet[Approval]) -> Approval | None:
    found = list(exact[:20])
    waiting = (one for one in found if one.state == Approval.State.PENDING)
    return next(waiting, found[0] if found else None)


def _beginning(visible: QuerySet[Approval], wanted: str) -> Sequence[Approval]:
    begins = Q(pk__startswith=wanted) | Q(slug__startswith=wanted)
    return list(visible.filter(begins, state=Approval.State.PENDING)[:5])
