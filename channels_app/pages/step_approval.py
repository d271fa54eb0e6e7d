"""Questions to a person as lines of a run's timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from channels_app.pages.approval_cards import state_words
from channels_app.pages.step import Step
from sessions.approvals.shapes import command_text, preview
from sessions.models import Approval


def approval_steps(found: Iterable[Approval]) -> Iterator[Step]:
    """A line for each: what was asked, for how long, and who decided."""
    for approval in found:
        kind, _sentence = state_words(approval)
        yield Step(
            kind="approval",
            title=_("Asked about %(tool)s") % {"tool": approval.tool},
            started=approval.created_at,
            ended=approval.decided_at,
            detail=preview(command_text(approval)),
            state=_state(approval),
            # A refusal is no fault; only faults open by themselves.
            state_kind="warn" if kind == "bad" else kind,
            subject=approval,
            facts=[(name, str(value)) for name, value in _facts(approval) if value],
        )


def _state(approval: Approval) -> str:
    word = str(approval.get_state_display())
    return f"{word}, {approval.decided_by}" if approval.decided_by else word


def _facts(approval: Approval) -> Iterator[tuple[str, object]]:
    yield _("Decision"), approval.get_state_display()
    yield _("Why"), approval.reason
    yield _("Asked by"), approval.asked_of
    yield _("Decided by"), approval.decided_by
    yield _("Decided through"), approval.decided_through
    yield _("Code"), approval.slug
    yield _("Expires"), f"{approval.expires_at:%Y-%m-%d %H:%M:%S} UTC"
