"""One try to replace old history by a summary: planned, asked for, measured, stored."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import structlog

from agents.catalog.resolve import resolve_model
from agents.context.summary import summary_message
from agents.context.summary_extras import file_lists
from agents.context.tokens import message_tokens
from agents.core.errors import OpenClawError
from agents.core.messages import Message, now_ms
from agents.core.model import ModelInfo
from agents.database import run_db
from sessions.context.plan import Plan, Skip, Trigger, Wanted, compaction_plan
from sessions.context.settings import ContextSettings
from sessions.context.store import (
    Diagnosis,
    compaction_commit,
    compaction_note,
    compaction_row,
    diagnose,
)
from sessions.context.summarise import AskFn, Summariser, SummaryFailed
from sessions.context.telling import CompactionTeller
from sessions.context.watchers import CompactionNews, compaction_tell
from sessions.failpoints import failpoint
from sessions.models import Compaction, Entry
from sessions.turns.history import Branch, branch_read
from sessions.turns.turn import LeaseLostError, Turn

log = structlog.get_logger(__name__)
OUTCOMES = Compaction.Outcome


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a try ended. Only when `done` anything changed: `entry` is then the new end of the
    branch, and its newest `kept` messages are what is kept, up to `newest`. `reason` is a code,
    `error` a text.
    """

    outcome: Compaction.Outcome
    reason: str = ""
    error: str = ""
    entry: Entry | None = None
    kept: int = 0
    newest: Message | None = None
    tokens_before: int = 0
    tokens_after: int = 0

    @property
    def done(self) -> bool:
        """Whether what is sent shrank."""
        return self.outcome == OUTCOMES.DONE


@dataclass(frozen=True, slots=True)
class Job:
    """What one try is about."""

    turn: Turn
    model: ModelInfo
    settings: ContextSettings
    ask: AskFn
    teller: CompactionTeller
    wanted: Wanted
    instructions: str = ""

    @property
    def trigger(self) -> Trigger:
        """Why it is tried."""
        return self.wanted.trigger


async def compaction_try(job: Job) -> Outcome:
    """Tries once. Never raises but LeaseLostError: a failure leaves the history as it was.

    Every try leaves a Compaction row; one whose summary did not make the context smaller counts
    as failed and stores no summary.
    """
    started, diagnostic = time.monotonic(), f"cmp-{uuid4().hex[:12]}"
    branch = await run_db(branch_of, job.turn)
    messages = [message for _, message in branch.items]
    plan = compaction_plan(
        messages, summary=branch.summary_message, before=branch.before, wanted=job.wanted
    )
    if isinstance(plan, Skip):
        found = Outcome(OUTCOMES.SKIPPED, plan.reason, tokens_before=job.wanted.tokens)
        row = _row(job, branch, found, diagnostic, started)
        await run_db(compaction_note, job.turn, row)
        return found
    job.teller.start(job.trigger)
    found = Outcome(OUTCOMES.FAILED, "unknown", tokens_before=plan.tokens_before)
    try:
        found = await _compact(job, branch, plan, diagnostic, started)
    finally:
        job.teller.end(found, job.trigger)
    log.info(
        "compaction",
        diagnostic=diagnostic,
        trigger=job.trigger,
        outcome=str(found.outcome),
        reason=found.reason,
        before=found.tokens_before,
        after=found.tokens_after,
    )
    return found


def branch_of(turn: Turn) -> Branch:
    """The committed branch of a turn."""
    return branch_read(transcript_id=turn.transcript_id, leaf=turn.leaf, last_seq=turn.next_seq - 1)


async def _compact(
    job: Job, branch: Branch, plan: Plan, diagnostic: str, started: float
) -> Outcome:
    news = CompactionNews(
        turn=job.turn,
        after=False,
        trigger=job.trigger,
        messages=len(branch.items),
        compacting=plan.first,
        tokens=plan.tokens_before,
    )
    try:
        await compaction_tell(news)
        summary, details = await _summary(job, branch, plan)
        found = _measured(job, plan, summary)
    except SummaryFailed as error:
        found = Outcome(
            OUTCOMES.FAILED, error.reason, error.message, tokens_before=plan.tokens_before
        )
    if not found.done:
        await run_db(compaction_note, job.turn, _row(job, branch, found, diagnostic, started))
        return found
    failpoint("compacting")
    body = {
        "summary": summary,
        "firstKeptEntryId": branch.items[plan.first][0],
        "tokensBefore": plan.tokens_before,
        "details": details,
    }
    row = _row(job, branch, found, diagnostic, started)
    entry = await run_db(
        compaction_commit, job.turn, body=body, row=row, tokens_after=found.tokens_after
    )
    await compaction_tell(replace(news, after=True, tokens=found.tokens_after))
    return replace(found, entry=entry, newest=branch.items[-1][1])


async def _summary(job: Job, branch: Branch, plan: Plan) -> tuple[str, dict[str, Any]]:
    """The summary and what its entry notes besides. Raises SummaryFailed."""
    limit = job.settings.compaction.timeout_seconds
    files = file_lists(plan.removed, branch.details)
    try:
        async with asyncio.timeout(limit):
            summariser = await _summariser(job)
            text = await summariser.summary(plan, previous=branch.summary, files=files)
    except TimeoutError:
        text = f"The summary took longer than {limit} seconds."
        raise SummaryFailed("timeout", text) from None
    except (SummaryFailed, LeaseLostError):
        raise
    except Exception as error:
        log.exception("compaction.broken", session=job.turn.session.pk)
        raise SummaryFailed("unknown", f"{type(error).__name__}: {error}") from error
    kept = {entry for entry, _ in branch.items[plan.first :]}
    cuts = branch.details.get("truncated") or {}
    details: dict[str, Any] = files.to_json()
    if still := {entry: limit for entry, limit in cuts.items() if entry in kept}:
        details["truncated"] = still
    return text, details


async def _summariser(job: Job) -> Summariser:
    model, chosen = job.model, job.settings.compaction.model
    if chosen:
        try:
            model = await run_db(resolve_model, ref=chosen)
        except OpenClawError as error:
            log.warning("compaction.model_unusable", model=chosen, error=error.message)
    return Summariser(
        ask=job.ask,
        model=model,
        window=job.settings.room(model).window,
        settings=job.settings.compaction,
        instructions=job.instructions,
    )


def _measured(job: Job, plan: Plan, summary: str) -> Outcome:
    """The outcome by what the context takes with this summary."""
    message = summary_message(summary, entry_id="", timestamp=0)
    after = job.wanted.overhead + message_tokens(message) + plan.kept_tokens
    found = Outcome(
        OUTCOMES.DONE, kept=len(plan.kept), tokens_before=plan.tokens_before, tokens_after=after
    )
    if after < plan.tokens_before:
        return found
    text = f"The summary would not have made it smaller ({plan.tokens_before:,} → {after:,})."
    return replace(
        found, outcome=OUTCOMES.FAILED, reason="live_context_still_exceeds_target", error=text
    )


def _row(job: Job, branch: Branch, found: Outcome, diagnostic: str, started: float) -> Compaction:
    diagnosis = Diagnosis(
        trigger=job.trigger,
        attempt=job.wanted.attempt,
        provider=job.model.provider,
        model=job.model.id,
        tokens_before=found.tokens_before,
        **diagnose(branch.items),
    )
    return compaction_row(
        job.turn,
        diagnosis,
        diagnostic=diagnostic,
        outcome=found.outcome,
        reason=found.reason,
        error=found.error[:2_000],
        messages_kept=found.kept,
        tokens_after=found.tokens_after,
        duration_ms=int((time.monotonic() - started) * 1000),
    )


def stand_in(entry: Entry) -> Message | None:
    """The message that stands for what a compaction entry replaced, None without a summary."""
    summary = str(entry.body.get("summary") or "")
    if not summary:
        return None
    at = int(entry.created_at.timestamp() * 1000) if entry.created_at else now_ms()
    return summary_message(summary, entry_id=entry.entry_id, timestamp=at)
