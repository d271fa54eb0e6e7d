"""Storing what hooks did in a turn together with the turn's next write."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from sessions.hook_calls import hook_calls_add
from sessions.models import HookCall
from sessions.turns.turn import Turn


def turn_hook_calls_add(turn: Turn) -> None:
    """Stores the records that wait, within the caller's transaction.

    They are forgotten once that was committed; more may be added by the event loop meanwhile.
    """
    records = list(turn.hook_calls)
    if turn.resumed and not turn.hooks_stored:
        turn.hooks_stored = HookCall.objects.filter(run_id=turn.run.pk).count()
    hook_calls_add(records, after=turn.hooks_stored, run_id=turn.run.pk)
    transaction.on_commit(partial(_stored, turn, len(records)))


def _stored(turn: Turn, count: int) -> None:
    del turn.hook_calls[:count]
    turn.hooks_stored += count
