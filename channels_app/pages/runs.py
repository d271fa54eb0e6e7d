"""Run history: the list with its filters, one run as a timeline, one request as it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from agents.selectors import agents_list
from channels_app.pages import wording
from channels_app.pages.approval_cards import ApprovalCard, approval_cards, page_words
from channels_app.pages.door import PageRequest, page, page_render
from channels_app.pages.requests import request_as_sent
from channels_app.pages.step import Step
from channels_app.pages.timeline import arrival, run_state, run_steps, run_tokens
from sessions.approvals.selectors import visible_approvals
from sessions.models import Approval, ModelCall, Run
from sessions.run_selectors import run_find, runs_list

PER_PAGE = 50
# Databases refuse numbers beyond 64 bits; nobody pages through a billion runs.
_OFFSET_DIGITS = 9
UNTIL = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line of the run table."""

    run: Run
    state_kind: str
    state: str
    milliseconds: float | None
    tokens: int


def run_row(run: Run) -> RunRow:
    """What lists show of a run."""
    kind, word = run_state(run)
    end = run.ended_at
    length = (end - run.accepted_at) / timedelta(milliseconds=1) if end else None
    return RunRow(run=run, state_kind=kind, state=word, milliseconds=length, tokens=run_tokens(run))


@page
@require_GET
def runs(request: PageRequest) -> HttpResponse:
    """All visible runs, newest first, filtered by agent, session, state and day."""
    filters = {
        name: request.GET.get(name, "").strip()
        for name in ("agent", "session", "state", "day", "had")
    }
    text = request.GET.get("offset", "")
    offset = int(text) if text.isdecimal() and len(text) <= _OFFSET_DIGITS else 0
    day, day_error = _day(filters["day"])
    found = runs_list(
        principal=request.principal,
        agent=filters["agent"],
        session=filters["session"],
        state=filters["state"],
        day=day,
        had=filters["had"],
        limit=PER_PAGE + 1,
        offset=offset,
    )
    context = {
        "nav": "runs",
        "rows": [run_row(run) for run in found[:PER_PAGE]],
        "filters": filters,
        "is_filtered": any(filters.values()),
        "day_error": day_error,
        "agents": agents_list(),
        "happenings": [
            ("failover", _("another credential or model")),
            ("compaction", _("history summarised")),
        ],
        "states": [*Run.State.choices[:2], *Run.Outcome.choices],
        "paging": _paging(filters, offset, has_more=len(found) > PER_PAGE, shown=len(found)),
    }
    return page_render(request, "pages/runs.html", context)


def _day(text: str) -> tuple[date | None, str]:
    if not text:
        return None, ""
    try:
        return date.fromisoformat(text), ""
    except ValueError:
        return None, _("Day: write it as 2026-01-31.")


def _paging(filters: dict[str, str], offset: int, *, has_more: bool, shown: int) -> dict[str, str]:
    kept = {name: value for name, value in filters.items() if value}

    def address(start: int) -> str:
        return "?" + urlencode(kept | ({"offset": str(start)} if start else {}))

    first, last = offset + 1, offset + min(shown, PER_PAGE)
    return {
        "previous": address(max(0, offset - PER_PAGE)) if offset else "",
        "next": address(offset + PER_PAGE) if has_more else "",
        "words": f"{first} {UNTIL} {last}",
    }


@page
@require_GET
def run(request: PageRequest, run_id: str) -> HttpResponse:
    """One run, by its own id or by the id that a client gave it."""
    found = run_find(principal=request.principal, run_id=run_id)
    steps = run_steps(found)
    context = {
        "nav": "runs",
        "run": found,
        "row": run_row(found),
        "steps": steps,
        "totals": _totals(found, steps),
        "is_running": found.state != Run.State.ENDED,
        "cards": _cards(request, found),
        "words": page_words(),
        "back": reverse("run", args=[found.pk]),
    }
    template = "pages/run_fresh.html" if "live" in request.GET else "pages/run.html"
    return page_render(request, template, context)


def _cards(request: PageRequest, run: Run) -> list[ApprovalCard]:
    """What the run waits for."""
    if run.state != Run.State.PARKED:
        return []
    waiting = visible_approvals(request.principal).filter(run=run)
    pending = waiting.filter(state=Approval.State.PENDING).order_by("created_at", "id")
    return approval_cards(pending, request.principal)


def _totals(run: Run, steps: list[Step]) -> list[tuple[str, str]]:
    spent = dict.fromkeys(("waited", "model", "tool"), 0.0)
    for step in steps:
        if step.kind in spent:
            spent[step.kind] += step.length or 0
    whole = (run.ended_at - arrival(run)) / timedelta(milliseconds=1) if run.ended_at else None
    return [
        (_("Whole time"), wording.duration(whole)),
        (_("Waiting for a worker"), wording.duration(spent["waited"])),
        (_("In model calls"), wording.duration(spent["model"])),
        (_("In tool calls"), wording.duration(spent["tool"])),
        (_("Model calls"), wording.count(sum(step.kind == "model" for step in steps))),
        (_("Failed calls"), wording.count(sum(_is_failed_call(step) for step in steps))),
        (_("Tool calls"), wording.count(sum(step.kind == "tool" for step in steps))),
        (_("Input tokens"), wording.count(run.input_tokens)),
        (_("Cached tokens read"), wording.count(run.cache_read_tokens)),
        (_("Cached tokens written"), wording.count(run.cache_write_tokens)),
        (_("Output tokens"), wording.count(run.output_tokens)),
        (_("Cost"), _cost(run, steps)),
        (_("Resumptions"), wording.count(run.resumptions)),
    ]


def _cost(run: Run, steps: list[Step]) -> str:
    """The money, and whether calls without a known price are missing from it."""
    calls = [step.subject for step in steps if isinstance(step.subject, ModelCall)]
    unpriced = [
        call for call in calls
        if not call.cost_known and (call.input_tokens or call.output_tokens)
    ]  # fmt: skip
    if not run.cost:
        free = run.cost_known or not unpriced
        return wording.money(run.cost, known=run.cost_known) if free else _("price unknown")
    if not unpriced or len(unpriced) == len(calls):
        return wording.money(run.cost)
    values = {"cost": wording.money(run.cost), "n": len(unpriced)}
    text = ngettext(
        "%(cost)s and %(n)d call without a known price",
        "%(cost)s and %(n)d calls without a known price",
        len(unpriced),
    )
    return text % values


def _is_failed_call(step: Step) -> bool:
    return isinstance(step.subject, ModelCall) and step.subject.state == ModelCall.State.FAILED


@page
@require_GET
def run_request(request: PageRequest, run_id: str, number: int) -> HttpResponse:
    """One model call's request as it was sent, secrets removed."""
    found = run_find(principal=request.principal, run_id=run_id)
    call = get_object_or_404(found.model_calls.select_related("prompt"), number=number)
    context: dict[str, Any] = {
        "nav": "runs",
        "run": found,
        "call": call,
        "sent": request_as_sent(call),
    }
    return page_render(request, "pages/run_request.html", context)
