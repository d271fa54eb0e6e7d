"""Another model for a turn, because a plugin asked for it."""

from __future__ import annotations

from agents.core.errors import OpenClawError
from agents.database import write_transaction
from agents.rows import row_update
from agents.selectors import agent_model
from sessions.models import ModelCall, Run
from sessions.turns.chain import chain_begin
from sessions.turns.turn import Turn
from sessions.turns.writes import fence_check


def turn_model_set(turn: Turn, ref: str) -> str:
    """Makes `ref` the model of the turn and of its rows; returns why that cannot be, else "".

    Raises LeaseLostError.
    """
    try:
        model = agent_model(slug=turn.session.agent_slug, ref=ref)
    except OpenClawError as error:
        return error.message
    turn.model = model
    chain_begin(turn)
    turn.run.provider, turn.run.model = model.provider, model.id
    names = {"provider": model.provider, "model": model.id}
    with write_transaction():
        fence_check(turn)
        row_update(Run, where={"id": turn.run.pk}, changes=names)
        where = {"run_id": turn.run.pk, "number": turn.opened_call}
        row_update(ModelCall, where=where, changes={**names, "api": model.api})
    return ""
