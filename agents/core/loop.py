"""The agent loop: model call, tools, steering, follow-ups, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.core.abort import AbortSignal
from agents.core.events import AgentEnd, EmitFn
from agents.core.messages import Message
from agents.core.model import ModelRequest, StreamFn
from agents.core.tools import Tool, ToolContext, ToolGate, ToolResult

MessageSource = Callable[[], Awaitable[Sequence[Message]]]
RequestBuilder = Callable[[Sequence[Message]], Awaitable[ModelRequest]]


async def nothing() -> Sequence[Message]:
    """A message source that never has any."""
    return ()


@dataclass(slots=True)
class LoopContext:
    """Where the loop starts: the history, what is new, and answers known beforehand.

    When `history` ends with an assistant message whose calls have no results and `prompts` is
    empty, the loop enters at that batch without a model call (a resumed or parked turn).
    `answers` maps call ids of that batch to results that are already known; those calls do not run.
    """

    history: list[Message]
    prompts: Sequence[Message] = ()
    answers: Mapping[str, ToolResult] = field(default_factory=dict)


@dataclass(slots=True)
class LoopConfig:
    """Everything that varies. None of the callables may raise; each says what it returns instead.

    `build_request` turns the messages so far into a request (pruning, prompt, tools).
    `steering` is polled before the first model call and after each tool batch; `follow_up` when
    the loop would stop. Both return an empty sequence when there is nothing.
    """

    stream: StreamFn
    build_request: RequestBuilder
    tools: Sequence[Tool]
    gate: ToolGate
    tool_context: ToolContext
    signal: AbortSignal
    steering: MessageSource = nothing
    follow_up: MessageSource = nothing
    execution: Literal["parallel", "sequential"] = "parallel"


async def run_loop(context: LoopContext, config: LoopConfig, emit: EmitFn) -> AgentEnd:
    """Runs until done, failed, aborted or parked, and returns the AgentEnd it emitted last.

    Must not raise for anything a model or a tool does. An exception of `emit` (the listener lost
    its right to write, say) ends the loop and propagates: nothing may go on unrecorded.
    """
    raise RuntimeError("written by the core helper")
