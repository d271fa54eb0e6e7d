"""A compaction that a person asked for: a job of the session's lane, done without the agent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from agents.context.cut import cut_places
from agents.context.summary import summary_message
from agents.context.tokens import messages_tokens
from agents.core.abort import AbortSignal
from agents.database import run_db
from sessions.context.compaction import Outcome, branch_of
from sessions.context.store import compaction_commit, trim_row
from sessions.models import InboxItem, Run
from sessions.turns.claim import LEAD, items_update
from sessions.turns.finish import Ending
from sessions.turns.turn import Turn

if TYPE_CHECKING:
    from sessions.context.turn_context import TurnContext

# The option of an inbox item that makes it such a job: {"instructions": text} or {"keep": number}.
OPTION = "compact"
STOP_REASON = "compact"


def job_claim(turn: Turn, item: InboxItem) -> list[InboxItem]:
    """Binds the job to its run, within the caller's transaction. It leaves no message behind."""
    items_update([item.pk], run_id=turn.run.pk, detail=LEAD)
    item.detail = LEAD
    return [item]


async def job_work(turn: Turn, window: TurnContext, signal: AbortSignal) -> Ending | None:
    """Compacts, and returns how the run ends; None when it was stopped meanwhile.

    Raises LeaseLostError.
    """
    wanted: Mapping[str, Any] = turn.items[0].options.get(OPTION) or {}
    if signal.aborted or turn.model is None:
        return None
    if keep := wanted.get("keep"):
        text = await run_db(_trim, turn, int(keep))
    else:
        instructions = str(wanted.get("instructions") or "")
        await window.compact(
            turn.history, model=turn.model, trigger="manual", instructions=instructions
        )
        if signal.aborted:
            return None
        text = outcome_text(window.last)
    turn.texts.append(text)
    return Ending(Run.Outcome.FINAL, stop_reason=STOP_REASON)


def outcome_text(found: Outcome | None) -> str:
    """What a person is told: the sizes before and after, or why nothing changed."""
    if found is None:
        return _("The context engine keeps the conversation small by itself.")
    if found.done:
        text = _("Compacted (%(before)s → %(after)s tokens).")
        return text % {
            "before": f"{found.tokens_before:,}",
            "after": f"{found.tokens_after:,}",
        }
    reason = _REASONS.get(found.reason)
    text = str(reason()) if reason else found.error or found.reason
    return _("Not compacted: %(reason)s") % {"reason": text}


_REASONS = {
    "no_compactable_entries": lambda: _("there is nothing that could be summarised."),
    "below_threshold": lambda: _("too little would be gained."),
    "already_compacted_recently": lambda: _("nothing was said since the last time."),
    "live_context_still_exceeds_target": lambda: _("the summary was not shorter."),
    "timeout": lambda: _("the summary took too long. Everything is as it was."),
}


def _trim(turn: Turn, keep: int) -> str:
    """Leaves out everything but the newest `keep` messages, without a summary."""
    started = time.monotonic()
    branch = branch_of(turn)
    messages = [message for _entry, message in branch.items]
    place = next((p for p in cut_places(messages) if p >= len(messages) - keep), 0)
    if place == 0:
        return _("Not compacted: %(reason)s") % {
            "reason": _("there are no more messages than that.")
        }
    left_out = _("(%(count)s messages were left out here without a summary.)")
    note = left_out % {"count": place}
    body = {
        "summary": "\n\n".join(part for part in (branch.summary, note) if part),
        "firstKeptEntryId": branch.items[place][0],
        "tokensBefore": 0,
        "details": {**branch.details, "kind": "trim"},
    }
    summary = summary_message(str(body["summary"]), entry_id="", timestamp=0)
    after = messages_tokens([summary, *messages[place:]])
    row = trim_row(
        turn, branch, kept=len(messages) - place, seconds=time.monotonic() - started, after=after
    )
    compaction_commit(turn, body=body, row=row, tokens_after=after)
    return _("Kept the newest %(kept)s of %(total)s messages.") % {
        "kept": len(messages) - place,
        "total": len(messages),
    }
