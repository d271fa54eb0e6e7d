"""Calling a context engine so that nothing it does can break a turn."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from agents.context.engine import LEGACY, Assembled, ContextEngine, EngineInfo, EngineSession
from agents.core.messages import Message
from agents.core.model import ModelInfo, ToolSchema
from sessions.turns.turn import Turn

log = structlog.get_logger(__name__)

# For each engine and session: the time of the newest message that the engine was told of.
_told: dict[tuple[str, str], int] = {}
_REMEMBERED = 10_000


class EngineCalls:
    """An engine in one turn. Each method is cheap for the built-in engine."""

    def __init__(self, engine: ContextEngine, turn: Turn) -> None:
        self.info: EngineInfo = engine.info
        self._engine = engine
        self._turn = turn
        self._session = EngineSession(turn.transcript_id, turn.session.key)

    async def assemble(
        self,
        messages: Sequence[Message],
        budget: int,
        model: ModelInfo,
        tools: Sequence[ToolSchema],
    ) -> Assembled:
        """What the engine makes of the messages; the messages themselves when it fails."""
        try:
            await self._ingest(messages)
            return await self._engine.assemble(
                self._session,
                messages,
                token_budget=budget,
                model=model.ref,
                tools=[tool.name for tool in tools],
            )
        except Exception as error:  # noqa: BLE001 - logged, with its traceback
            self._failed("assemble", error)
            return Assembled(messages)

    async def compact(
        self, messages: Sequence[Message], budget: int, tokens: int, instructions: str
    ) -> bool | None:
        """Whether an engine that owns compaction made it smaller; None when the turn shall."""
        if not self.info.owns_compaction:
            return None
        try:
            found = await self._engine.compact(
                self._session,
                messages,
                token_budget=budget,
                current_tokens=tokens,
                instructions=instructions,
            )
        except Exception as error:  # noqa: BLE001 - logged, with its traceback
            self._failed("compact", error)
            return False
        return found.compacted

    async def after_turn(self, messages: Sequence[Message]) -> None:
        """The turn ended."""
        if self.info.id == LEGACY:
            return
        try:
            await self._ingest(messages)
            await self._engine.after_turn(self._session, messages)
            await self._engine.maintain(self._session)
        except Exception as error:  # noqa: BLE001 - logged, with its traceback
            self._failed("after_turn", error)

    async def _ingest(self, messages: Sequence[Message]) -> None:
        mark = (self.info.id, self._session.session_id)
        if mark not in _told:
            if len(_told) > _REMEMBERED:
                _told.clear()
            _told[mark] = -1
            await self._engine.bootstrap(self._session)
        fresh = [message for message in messages if message.timestamp > _told[mark]]
        if fresh:
            _told[mark] = max(message.timestamp for message in fresh)
            await self._engine.ingest_batch(self._session, fresh)

    def _failed(self, what: str, error: Exception) -> None:
        log.exception("context_engine.failed", engine=self.info.id, call=what)
        text = f"The context engine {self.info.id!r} failed in {what}: {error!r}"
        if text not in self._turn.warnings:
            self._turn.warnings.append(text)
