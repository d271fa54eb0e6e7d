"""Ending a turn that broke by a fault of our own: the person gets an explanation, not silence."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import structlog
from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from agents.database import run_db
from sessions.models import Run
from sessions.turns.emitter import Emitter
from sessions.turns.finish import Ending, turn_finish
from sessions.turns.turn import LeaseLostError, Turn

log = structlog.get_logger(__name__)

# Seconds to store that a turn was given up; if even that hangs, the run stays open.
ABANDON_SECONDS = 10.0


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


async def turn_abandon(turn: Turn, emitter: Emitter, kind: str) -> bool:
    """Ends the run of a turn that was cancelled because it did not end when it was told to.

    `kind` says why it was told. False: that could not be stored in time, and the run stays open.
    Does nothing for a run that has ended already. Raises LeaseLostError only.
    """
    by = _("the time limit") if kind == "timeout" else _("the gateway")
    text = _("The turn hung and did not end by itself when %(by)s stopped it. It was given up.")
    ending = Ending(
        Run.Outcome.ABORTED,
        stop_reason=kind if kind in ("rpc", "stop", "timeout", "interrupt") else "stop",
        stopped_by=by,
        explanation=text % {"by": by},
        number=turn.opened_call,
    )
    try:
        async with asyncio.timeout(ABANDON_SECONDS):
            record = await run_db(_finish_once, turn, ending)
    except LeaseLostError:
        raise
    except Exception:
        log.exception("turn.cannot_abandon", run=turn.run.pk)
        return False
    if record is not None:
        for entry in record.pop("entries"):
            emitter.emit("entry", entry=entry)
        emitter.emit("run.end", change="close", **record)
        with suppress(TimeoutError):
            async with asyncio.timeout(ABANDON_SECONDS):
                await emitter.drain()
    return True


def _finish_once(turn: Turn, ending: Ending) -> dict[str, Any] | None:
    if Run.objects.filter(pk=turn.run.pk, state=Run.State.ENDED).exists():
        return None
    return turn_finish(turn, ending)
