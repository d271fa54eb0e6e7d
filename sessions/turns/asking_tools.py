"""What a turn offers its tools: models to ask (calls of the same turn), files to be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.answer import Answer
from agents.core.model import ModelRequest, StreamFn
from agents.core.tools import ToolContext
from agents.database import run_db, write_transaction
from sessions.artifacts import artifact_store
from sessions.turns.asking import AskFn, model_asker
from sessions.turns.listener import TurnListener
from sessions.turns.turn import Turn
from sessions.turns.writes import fence_check, model_call_close
from tools.media.asking import ASK
from tools.media.keeping import KEEP, KeepFn

PURPOSE = "tool"


def asking_context(
    context: ToolContext,
    *,
    turn: Turn,
    listener: TurnListener,
    stream: StreamFn,
    signal: AbortSignal,
) -> ToolContext:
    """`context` with a way to ask models, each answer a ModelCall row of the run, and with one to
    keep files with the conversation."""
    ask = tool_asker(turn, listener, stream, signal)
    return replace(context, settings={**context.settings, ASK: ask, KEEP: file_keeper(context)})


def file_keeper(context: ToolContext) -> KeepFn:
    """A function that stores a file for the sender of the message; it gives the artifact's id."""

    async def keep(name: str, mime_type: str, data: bytes) -> str:
        artifact = await run_db(
            artifact_store,
            principal=context.principal,
            name=name,
            mime_type=mime_type,
            data=data,
            session_key=context.session_key,
        )
        return artifact.id

    return keep


def tool_asker(turn: Turn, listener: TurnListener, stream: StreamFn, signal: AbortSignal) -> AskFn:
    """A function that makes one model call, with other credentials and models in reserve.

    Tools of one batch take turns: the calls of a run are numbered. It never raises for what a
    service does. Raises LeaseLostError when the turn lost its session.
    """
    inner = model_asker(turn, _ToolCalls(turn, listener), stream, signal, purpose=PURPOSE)
    lock = asyncio.Lock()

    async def ask(request: ModelRequest) -> Answer:
        async with lock:
            return await inner(request)

    return ask


class _ToolCalls(TurnListener):
    """Records calls between two of the turn's own, whose rows are not open then."""

    def __init__(self, turn: Turn, listener: TurnListener) -> None:
        super().__init__(turn, listener.emitter, ())
        self._own = listener

    @property
    def open_number(self) -> int:
        """The number of the call that is made now, or next."""
        return self._own.number + 1

    @property
    def closed_number(self) -> int:
        """The number of the newest call that has ended."""
        return self._own.number

    async def call_advance(self, fields: Mapping[str, Any], attempt: int) -> None:
        """Stores the end of the call that was made; the next one of the turn is opened later."""
        await run_db(_call_commit, self.turn, number=self.open_number, fields=fields)
        self._count(fields)
        self._own.number += 1

    def call_withdraw(self) -> None:
        """Nothing was announced."""


def _call_commit(turn: Turn, *, number: int, fields: Mapping[str, Any]) -> None:
    """Stores a whole call, which sent nothing of the history."""
    with write_transaction():
        fence_check(turn)
        model_call_close(turn, number, {**fields, "last_seq": 0})
