"""From the history of a turn to the request that a model gets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from agents.core.messages import Message, ThinkingLevel
from agents.core.model import ModelInfo, ModelRequest, ToolSchema
from agents.prompt.build import system_prompt
from agents.prompt.modes import prompt_mode
from agents.providers.common.replay import thinking_stripped
from agents.providers.thinking_levels import thinking_fitted, thinking_named
from agents.selectors import AgentSnapshot
from sessions.context.turn_context import TurnContext
from sessions.turns.sandboxes import sandbox_prompt
from sessions.turns.turn import Turn

ShapeFn = Callable[[ModelRequest], Awaitable[ModelRequest]]


def local_day(zone: str) -> date:
    """The day it is in `zone`, in UTC when there is no such zone."""
    try:
        return datetime.now(ZoneInfo(zone)).date()
    except (ValueError, KeyError, OSError):
        return datetime.now(UTC).date()


class TurnRequest:
    """Builds the requests of a turn: `build` is the loop's RequestBuilder.

    `shape` adds what plugins have to say to the prompt; `skills` is its list of skills.

    `history` is the loop's own list as `build` last saw it. Belongs to one event loop.
    """

    def __init__(
        self,
        turn: Turn,
        snapshot: AgentSnapshot,
        tools: Sequence[ToolSchema],
        context: TurnContext,
        shape: ShapeFn,
        skills: str = "",
    ) -> None:
        self.history: Sequence[Message] = turn.history
        self._turn = turn
        self._snapshot = snapshot
        self._tools = tools
        self._context = context
        self._shape = shape
        self._repaired = False
        self._skills = skills
        self._options: dict[str, Any] = turn.items[0].options if turn.items else {}

    async def build(self, messages: Sequence[Message]) -> ModelRequest:
        """The request for the turn's model of this moment."""
        self.history = messages
        model = self._turn.model
        if model is None:
            raise TypeError("a turn without a model builds no request")
        return await self._build(model)

    async def again(self, model: ModelInfo, *, repaired: bool) -> ModelRequest:
        """The same request anew: for another model, or from a history that became shorter.

        With `repaired` earlier reasoning is left out, also of all later requests of the turn.
        """
        self._repaired = self._repaired or repaired
        return await self._build(model)

    async def _build(self, model: ModelInfo) -> ModelRequest:
        turn = self._turn
        system = await asyncio.to_thread(
            system_prompt,
            snapshot=self._snapshot,
            tools=self._tools,
            principal=turn.principal,
            channel=turn.run.origin,
            mode=prompt_mode(turn.session.key),
            extra=str(self._options.get("systemPrompt", "")),
            skills=self._skills,
            today=local_day(turn.principal.zone),
            sandbox=sandbox_prompt(self._snapshot, turn.session.key),
        )
        messages = await self._context.messages(
            self.history, model=model, system=system, tools=self._tools
        )
        if self._repaired:
            messages = thinking_stripped(messages)
        if self._context.system_addition:
            system = f"{system}\n\n{self._context.system_addition}"
        request = ModelRequest(
            model=model,
            messages=tuple(messages),
            system=system,
            tools=self._tools,
            max_tokens=self._options.get("maxTokens"),
            thinking=self._thinking(model),
            session_id=turn.transcript_id,
        )
        return await self._shape(request)

    def _thinking(self, model: ModelInfo) -> ThinkingLevel:
        stated = self._options.get("thinking") or self._turn.session.thinking
        wanted = thinking_named(stated or self._snapshot.thinking) or "off"
        return thinking_fitted(wanted, model)
