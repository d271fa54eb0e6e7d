"""What live records tell of a turn, by its levels of showing. Rows keep everything."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sessions.models import Entry
from sessions.showing import Showing, reasoning_left_out, reasoning_of, showing_of, trace_line
from sessions.turns.records import entry_json
from sessions.turns.turn import Turn


def turn_showing(turn: Turn) -> Showing:
    """The levels that hold for this turn: those of its first message before all others."""
    settings = turn.snapshot.settings if turn.snapshot else {}
    options = turn.items[0].options if turn.items else {}
    return showing_of(turn.session, settings=settings, options=options)


def entry_shown(turn: Turn, entry: Entry) -> dict[str, Any]:
    """An entry for live records, without reasoning that nobody asked for."""
    record = entry_json(entry)
    if not turn.showing.keeps_reasoning:
        record["message"] = reasoning_left_out(record["message"])
    return record


def answer_extras(turn: Turn, totals: dict[str, Any], now: datetime) -> dict[str, Any]:
    """What a run.end record carries beside the answer: `reasoning`, `trace`, `traceLine`.

    Empty at the usual levels. Call it within the transaction that ends the run.
    """
    extras: dict[str, Any] = {}
    if turn.showing.keeps_reasoning:
        extras["reasoning"] = _reasoning(turn)
    if turn.showing.trace == "on":
        extras["trace"] = _trace(turn, totals, now)
        extras["traceLine"] = trace_line(extras["trace"])
    return extras


def _reasoning(turn: Turn) -> str:
    # From the rows: an earlier worker may have stored some of it.
    bodies = Entry.objects.filter(
        transcript_id=turn.transcript_id, run_id=turn.run.pk, role="assistant"
    )
    texts = [reasoning_of(body) for body in bodies.order_by("seq").values_list("body", flat=True)]
    return "\n\n".join(text for text in texts if text)


def _trace(turn: Turn, totals: dict[str, Any], now: datetime) -> dict[str, Any]:
    model = turn.model
    return {
        "runId": turn.run.pk,
        "provider": turn.run.provider,
        "model": turn.run.model,
        "profile": model.profile if model is not None else "",
        "inputTokens": totals["input_tokens"] + totals["cache_read_tokens"],
        "outputTokens": totals["output_tokens"],
        "cost": totals["cost"] if totals["cost_known"] else None,
        "ms": int((now - turn.run.started_at).total_seconds() * 1000),
    }
