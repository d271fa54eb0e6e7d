"""Ending a turn that broke by a fault of our own: the person gets an explanation, not silence."""

from __future__ import annotations

import structlog

from agents.core.errors import OpenClawError
from agents.database import run_db
from sessions.models import Run
from sessions.turns.emitter import Emitter
from sessions.turns.finish import Ending, turn_finish
from sessions.turns.turn import LeaseLostError, Turn

log = structlog.get_logger(__name__)


async def turn_give_up(turn: Turn, emitter: Emitter, fault: Exception) -> None:
    """Ends the run with an explanation. If even that cannot be stored the run stays open and the
    sweeper resumes it. Raises LeaseLostError only.
    """
    text = fault.message if isinstance(fault, OpenClawError) else type(fault).__name__
    explanation = f"The turn failed inside the gateway: {text}. The log has the details."
    try:
        record = await run_db(turn_finish, turn, Ending(Run.Outcome.ERROR, explanation=explanation))
    except LeaseLostError:
        raise
    except Exception:
        log.exception("turn.cannot_explain", run=turn.run.pk)
        return
    for entry in record.pop("entries"):
        emitter.emit("entry", entry=entry)
    emitter.emit("run.end", change="close", **record)
