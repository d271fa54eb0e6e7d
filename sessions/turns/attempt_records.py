"""The rows of attempts: each one is a model call with its class of error and what was done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.core.model import ModelInfo
from agents.database import write_transaction
from agents.rows import row_update
from sessions.models import ModelCall
from sessions.turns.turn import Turn
from sessions.turns.writes import fence_check, model_call_close, model_call_open


def attempt_commit(turn: Turn, *, number: int, fields: Mapping[str, Any], attempt: int) -> None:
    """Closes the call `number` with `fields` and opens the next one. Raises LeaseLostError.

    `attempt` is the number of the next attempt within the same question to the model.
    """
    with write_transaction():
        fence_check(turn)
        model_call_close(turn, number, fields)
        model_call_open(turn, number=number + 1, attempt=attempt)


def attempt_amend(turn: Turn, *, number: int, action: str, because: str) -> None:
    """What was done after the failed call `number` is something else. Raises LeaseLostError."""
    with write_transaction():
        fence_check(turn)
        changes = {"action": action, "action_reason": because[:300]}
        row_update(ModelCall, where={"run_id": turn.run.pk, "number": number}, changes=changes)


def model_columns(model: ModelInfo, attempt: int) -> dict[str, Any]:
    """The columns that say who was asked, and with what."""
    return {
        "provider": model.provider,
        "model": model.id,
        "api": model.api,
        "profile": model.profile,
        "attempt": attempt,
    }
