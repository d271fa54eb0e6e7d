"""The rows of hook calls: what plugins did, where, and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.database import write_transaction
from agents.hooks.context import HookRecord
from agents.rows import rows_insert
from sessions.models import HookCall


def hook_calls_add(records: Sequence[HookRecord], *, after: int = 0, **place: Any) -> None:
    """Inserts a row for each record, within the caller's transaction.

    `place` names the run, the message or the session (`run_id`, `item_id`, `session_id`); numbers
    go on behind `after`.
    """
    rows_insert([
        HookCall(
            number=number,
            hook=record.hook[:48],
            handler=record.handler[:160],
            outcome=record.outcome,
            note=record.note[:300],
            duration_ms=round(record.duration_ms, 3),
            started_at=record.started_at,
            **place,
        )
        for number, record in enumerate(records, start=after + 1)
    ])  # fmt: skip


def hook_calls_store(records: Sequence[HookRecord], *, after: int = 0, **place: Any) -> None:
    """The same in a transaction of its own, for calls that no other write waits for."""
    if records:
        with write_transaction():
            hook_calls_add(records, after=after, **place)
