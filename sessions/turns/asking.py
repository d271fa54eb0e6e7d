"""Asking a model for something other than the turn's answer: a summary of old history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from django.utils import timezone

from agents.attempts.stream import AttemptStream
from agents.core.abort import AbortSignal
from agents.core.answer import Answer, stream_answer
from agents.core.events import LoopEvent
from agents.core.model import ModelRequest, StreamFn
from sessions.turns.attempt_host import TurnAttempts
from sessions.turns.listener import TurnListener, call_outcome
from sessions.turns.turn import Turn

AskFn = Callable[[ModelRequest], Awaitable[Answer]]
# Seconds that a stream gets to end after the run was stopped.
GRACE_SECONDS = 5.0


def model_asker(
    turn: Turn,
    listener: TurnListener,
    stream: StreamFn,
    signal: AbortSignal,
    purpose: str = "compaction",
) -> AskFn:
    """A function that makes one model call within the turn, with other credentials and models in
    reserve. Nothing of it is shown; each attempt is a ModelCall row of this purpose.

    It never raises for what a service does. Raises LeaseLostError when the turn lost its session.
    """

    async def ask(request: ModelRequest) -> Answer:
        started, model = timezone.now(), turn.model
        host = TurnAttempts(turn, listener, None, None, purpose)
        attempts = AttemptStream(host, stream, turn.policy)
        answer = await stream_answer(attempts, request, signal, _nothing, grace=GRACE_SECONDS)
        fields = {
            **call_outcome(answer.message, answer.error, turn),
            **host.columns,
            "purpose": purpose,
            "started_at": started,
            "parameters": {},
        }
        turn.model = model
        await listener.call_advance(fields, 1)
        return answer

    return ask


async def _nothing(event: LoopEvent) -> None:
    """Nobody watches."""
