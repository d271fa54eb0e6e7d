"""Asks a model a question of its own within a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agents.core.abort import AbortSignal
from agents.core.answer import Answer, stream_answer
from agents.core.errors import ToolError
from agents.core.events import LoopEvent
from agents.core.messages import UserBlock, UserMessage
from agents.core.model import ModelInfo, ModelRequest
from agents.core.tools import ToolContext
from agents.credentials.credential import model_with
from agents.credentials.selectors import credentials_for
from agents.database import run_db

# The key of `ToolContext.settings` under which a turn offers to ask models: then the call is one of
# the turn's, with its records, budgets and other credentials in reserve.
ASK = "ask"
AskFn = Callable[[ModelRequest], Awaitable[Answer]]
_GRACE_SECONDS = 5.0


async def question_ask(
    model: ModelInfo,
    blocks: tuple[UserBlock, ...],
    *,
    context: ToolContext,
    signal: AbortSignal,
    max_tokens: int = 4096,
) -> str:
    """The answer of `model` to one message. Raises ToolError when there is none."""
    limit = min(max_tokens, model.max_tokens) if model.max_tokens else max_tokens
    request = ModelRequest(model, (UserMessage(blocks),), max_tokens=limit)
    ask: AskFn | None = context.settings.get(ASK)
    answer = await (ask(request) if ask else _asked_alone(request, context, signal))
    if answer.error is not None:
        raise ToolError(f"The model could not answer: {answer.error.message}")
    if not answer.message.text.strip():
        raise ToolError(f"{model.ref} answered nothing.")
    return answer.message.text.strip()


async def _asked_alone(request: ModelRequest, context: ToolContext, signal: AbortSignal) -> Answer:
    from agents.providers.registry import ClientPool

    found = await run_db(credentials_for, model=request.model, agent=context.agent_id)
    if not found:
        raise ToolError(f"There is no credential for {request.model.ref}.")
    model = model_with(request.model, found[0])
    pool = ClientPool()
    try:
        asked = ModelRequest(model, request.messages, max_tokens=request.max_tokens)
        return await stream_answer(pool.stream, asked, signal, _nothing, grace=_GRACE_SECONDS)
    finally:
        await pool.aclose()


async def _nothing(event: LoopEvent) -> None:
    """Nobody watches."""
