"""Asking a model for something other than the turn's answer: a summary, what a tool wants."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from django.utils import timezone

from agents.attempts.stream import AttemptStream
from agents.core.abort import AbortSignal
from agents.core.answer import Answer, stream_answer
from agents.core.events import LoopEvent
from agents.core.model import ModelInfo, ModelRequest, StreamFn
from agents.database import run_db
from sessions.turns.attempt_host import TurnAttempts
from sessions.turns.chain import candidate_of
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
    *,
    purpose: str = "compaction",
) -> AskFn:
    """A function that makes one model call within the turn, with other credentials and the models
    of the turn in reserve. Nothing of it is shown; each attempt is a ModelCall row, which says the
    `purpose`.

    It never raises for what a service does. Raises LeaseLostError when the turn lost its session.
    """

    async def ask(request: ModelRequest) -> Answer:
        started, model = timezone.now(), turn.model
        host = await _host(turn, listener, request)
        host.purpose = purpose
        attempts = AttemptStream(host, stream, turn.policy)
        answer = await stream_answer(attempts, request, signal, _nothing, grace=GRACE_SECONDS)
        fields = {
            **call_outcome(answer.message, answer.error, turn),
            **host.columns,
            "purpose": host.purpose,
            "started_at": started,
            "parameters": {},
        }
        turn.model = model
        if not host.given_up:
            await listener.call_advance(fields, 1)
        return answer

    return ask


class _SummaryAttempts(TurnAttempts):
    """The attempts of one request that stands alone: it is the same for every model."""

    def __init__(self, turn: Turn, listener: TurnListener, request: ModelRequest) -> None:
        super().__init__(turn, listener, None, None)
        self._asked = request
        # Whether the last failed call has its row already, and the one behind it is free.
        self.given_up = False

    async def rebuild(self, model: ModelInfo, *, repaired: bool) -> ModelRequest:
        """The same request for `model`, whose answers may be shorter."""
        wanted = self._asked.max_tokens
        most = min(wanted, model.max_tokens) if wanted else wanted
        return replace(self._asked, model=model, max_tokens=most)

    def withdraw(self) -> None:
        """The row that was opened is left to whatever is asked next."""
        self.given_up = True


async def _host(turn: Turn, listener: TurnListener, request: ModelRequest) -> _SummaryAttempts:
    """The attempts for a request, beginning with its own model, which need not be the turn's."""
    host = _SummaryAttempts(turn, listener, request)
    model, session = request.model, turn.session
    if host.found is None or host.found.candidate.ref != model.ref:
        host.found = await run_db(
            candidate_of,
            model=model,
            agent=session.agent_slug,
            profile=session.profile,
            pinned=session.profile_pinned,
        )
        host.refs = tuple(dict.fromkeys([model.ref, *turn.refs]))
    return host


async def _nothing(event: LoopEvent) -> None:
    """Nobody watches."""
