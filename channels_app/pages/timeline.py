"""A run as a list of steps on one time axis that starts when its first message arrived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from channels_app.pages.step import Step, state_kind
from channels_app.pages.step_approval import approval_steps
from channels_app.pages.step_context import compaction_steps, hook_steps, hooks_folded, model_step
from sessions.models import Delivery, InboxItem, ModelCall, Run, ToolCall
from sessions.run_selectors import run_hook_calls

# The width of the axis in the units of its drawing.
AXIS = 1000
# A bar narrower than this could not be seen.
THINNEST = 4


def run_state(run: Run) -> tuple[str, str]:
    """The dot and the word for a run."""
    if run.state != Run.State.ENDED:
        return state_kind(run.state), str(run.get_state_display())
    kinds = {Run.Outcome.FINAL: "ok", Run.Outcome.ERROR: "bad", Run.Outcome.ABORTED: "warn"}
    return kinds.get(Run.Outcome(run.outcome), "none"), str(run.get_outcome_display())


def run_tokens(run: Run) -> int:
    """All tokens of a run, cached ones included."""
    return run.input_tokens + run.cache_read_tokens + run.cache_write_tokens + run.output_tokens


def run_steps(run: Run) -> list[Step]:
    """All steps of a run in order of their start, placed on the axis."""
    items = list(run.items.order_by("id"))
    calls = list(run.model_calls.select_related("prompt").order_by("number"))
    found = [
        *(_accepted(item) for item in items),
        *_waited(run, items),
        *_resumptions(run),
        *(model_step(call) for call in calls),
        *compaction_steps(run.compactions.order_by("id")),
        *hook_steps(run_hook_calls(run)),
        *approval_steps(run.approvals.order_by("created_at", "id")),
        *_tool_calls(run.tool_calls.order_by("id"), calls),
        *(_delivery(delivery) for delivery in run.deliveries.order_by("created_at")),
        *_end(run),
    ]
    return _placed(run, hooks_folded(sorted(found, key=lambda step: step.started)))


def arrival(run: Run) -> datetime:
    """When the first message that the run answers was accepted."""
    return min((item.accepted_at for item in run.items.all()), default=run.accepted_at)


def _placed(run: Run, steps: list[Step]) -> list[Step]:
    zero = steps[0].started if steps else run.accepted_at
    last = max((step.ended or timezone.now() for step in steps), default=zero)
    total = max((last - zero) / timedelta(milliseconds=1), 1.0)
    return [_place(step, zero, total) for step in steps]


def _place(step: Step, zero: datetime, total: float) -> Step:
    at = (step.started - zero) / timedelta(milliseconds=1)
    until = ((step.ended or timezone.now()) - zero) / timedelta(milliseconds=1)
    width = max((until - at) / total * AXIS, THINNEST)
    values = {name: getattr(step, name) for name in step.__slots__}
    return Step(
        **values
        | {
            "at": at,
            "length": until - at if step.ended else None,
            "x": round(min(at / total * AXIS, AXIS - width)),
            "width": round(width),
        }
    )


def _accepted(item: InboxItem) -> Step:
    facts = [(_("Through"), str(item.origin.get("kind", ""))), (_("Run id"), item.wire_id)]
    if item.queue_mode:
        facts.append((_("Queue mode"), item.queue_mode))
    if item.outcome:
        facts.append((_("Outcome"), str(item.get_outcome_display())))
    return Step(
        kind="accepted",
        title=_("Message accepted"),
        started=item.accepted_at,
        ended=item.accepted_at,
        detail=item.text[:200],
        subject=item,
        facts=facts,
    )


def _waited(run: Run, items: list[InboxItem]) -> Iterator[Step]:
    accepted = min((item.accepted_at for item in items), default=run.accepted_at)
    if run.started_at - accepted >= timedelta(milliseconds=1):
        yield Step(
            kind="waited",
            title=_("Waited for a worker"),
            started=accepted,
            ended=run.started_at,
        )


def _resumptions(run: Run) -> Iterator[Step]:
    for number, entry in enumerate(run.resumed, start=1):
        moment = _moment(entry.get("at")) or run.started_at
        yield Step(
            kind="resumed",
            title=_("Resumed (%(n)s)") % {"n": number},
            started=moment,
            ended=moment,
            detail=str(entry.get("reason", "")),
            state=_("worker lost"),
            state_kind="warn",
            facts=[(str(name), str(value)) for name, value in entry.items()],
        )


def _moment(value: object) -> datetime | None:
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000, tz=timezone.get_current_timezone())
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    return None


def _tool_calls(found: Iterable[ToolCall], calls: list[ModelCall]) -> Iterator[Step]:
    answered = {call.response_entry_id: call.ended_at for call in calls if call.response_entry_id}
    for call in found:
        started = call.started_at or call.ended_at or answered.get(call.entry_id)
        if started is None:
            continue
        yield Step(
            kind="tool",
            title=call.name,
            started=started,
            ended=call.ended_at or (None if call.state == "started" else started),
            detail=argument_words(call.arguments),
            state=str(call.get_state_display()),
            state_kind=state_kind(call.state),
            subject=call,
        )


def argument_words(arguments: dict[str, Any], *, limit: int = 120) -> str:
    """The telling argument of a tool call: the first text, in one line."""
    for value in arguments.values():
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:limit]
    return ""


def _delivery(delivery: Delivery) -> Step:
    return Step(
        kind="delivery",
        title=_("Delivery"),
        started=delivery.created_at,
        ended=delivery.ended_at or (None if delivery.state == "sending" else delivery.created_at),
        detail=delivery.kind,
        state=str(delivery.get_state_display()),
        state_kind=state_kind(delivery.state),
        subject=delivery,
        facts=[
            (name, str(value))
            for name, value in (
                (_("Receipt"), delivery.receipt),
                (_("Attempts"), delivery.attempts),
                (_("Error"), delivery.error),
            )
            if value
        ],
    )


def _end(run: Run) -> Iterator[Step]:
    if run.ended_at is None:
        return
    kind, word = run_state(run)
    facts = [
        (name, value)
        for name, value in (
            (_("Stop reason"), run.stop_reason),
            (_("Stopped by"), run.stop_by),
            (_("Error class"), run.error_kind),
            (_("Error"), run.error_message),
        )
        if value
    ]
    yield Step(
        kind="end",
        title=pgettext("a run", "Ended"),
        started=run.ended_at,
        ended=run.ended_at,
        detail=run.error_message[:200],
        state=word,
        state_kind=kind,
        facts=facts,
    )
