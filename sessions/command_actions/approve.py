"""/approve: what waits for a decision, and the decision."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.core.errors import UserError
from sessions.approvals.attendance import by_person
from sessions.approvals.selectors import approvals_pending
from sessions.approvals.services import approval_resolve, decision_named
from sessions.approvals.shapes import command_text, preview
from sessions.command_actions.action import Asked
from sessions.models import Approval


def approve(asked: Asked) -> str:
    """Decides; alone it lists what waits. Only a person may, never a job or the agent itself."""
    if not by_person(str(asked.fields["origin"].get("kind", ""))):
        return _("Only a person can approve.")
    words = asked.rest.split()
    if not words:
        return _listed(approvals_pending(principal=asked.principal))
    ref, word = _understood(asked, words)
    decided = approval_resolve(ref=ref, decision=word, principal=asked.principal, through="command")
    values = {"code": decided.slug, "state": decided.get_state_display(), "tool": decided.tool}
    return _("%(code)s: %(state)s (%(tool)s).") % values


def _understood(asked: Asked, words: list[str]) -> tuple[str, str]:
    """Code and decision, in either order; the code may be left out while only one waits here."""
    if len(words) == 1:
        decision_named(words[0])
        here = approvals_pending(principal=asked.principal, session_key=asked.session.key)
        if len(here) == 1:
            return here[0].slug, words[0]
        raise UserError(_listed(here))
    if len(words) > 2:
        raise UserError(_("Write /approve CODE allow-once, allow-always or deny."))
    first, second = words
    return (second, first) if _is_decision(first) else (first, second)


def _is_decision(word: str) -> bool:
    try:
        decision_named(word)
    except UserError:
        return False
    return True


def _listed(waiting: list[Approval]) -> str:
    if not waiting:
        return _("Nothing waits for a decision.")
    lines = [_("Waiting for a decision:")]
    for approval in waiting:
        choices = "|".join(approval.decisions)
        lines.append(f"/approve {approval.slug} {choices}  {preview(command_text(approval))}")
    return "\n".join(lines)
