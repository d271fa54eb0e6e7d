"""What the loop is given: where it starts and everything that varies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agents.core.abort import AbortSignal
from agents.core.messages import Message, ToolCall
from agents.core.model import ModelRequest, StreamFn
from agents.core.tools import Tool, ToolContext, ToolGate, ToolResult

MessageSource = Callable[[], Awaitable[Sequence[Message]]]
RequestBuilder = Callable[[Sequence[Message]], Awaitable[ModelRequest]]
ResultObserver = Callable[[ToolCall, ToolResult], ToolResult]

# A tool or a stream that has not ended this long after the abort signal is cancelled.
ABORT_GRACE_SECONDS = 5.0


async def nothing() -> Sequence[Message]:
    """A message source that never has any."""
    return ()


def result_kept(call: ToolCall, result: ToolResult) -> ToolResult:
    """An observer that changes nothing."""
    return result


def unknown(name: str) -> str:
    """Knows nothing about tools that are not there."""
    return ""


@dataclass(slots=True)
class LoopContext:
    """Where the loop starts: the history, what is new, and answers known beforehand.

    The loop appends to `history` in place. When `history` ends with an assistant message (not a
    failed one) with calls that have no results, and `prompts` is empty, the loop enters at that
    batch without a model call (a resumed or parked turn); results that stand behind it already
    are kept and not told again. `answers` maps call ids of that batch to results that are already
    known; those calls do not run.
    """

    history: list[Message]
    prompts: Sequence[Message] = ()
    answers: Mapping[str, ToolResult] = field(default_factory=dict)


@dataclass(slots=True)
class LoopConfig:
    """Everything that varies. None of the callables may raise; each says what it returns instead.

    `build_request` turns the messages so far into a request (pruning, prompt, tools). It gets the
    loop's own list: it must not change it, and the request must not keep it.
    `steering` is polled before the first model call and after each tool batch; `follow_up` when
    the loop would stop. Both return an empty sequence when there is nothing.
    `observe` sees each result before anybody else, also those of calls that did not run (but not
    `answers`), and returns what takes its place. `absent` says why a tool is not among `tools`, ""
    for one that nobody knows. `abort_grace` is in seconds.
    """

    stream: StreamFn
    build_request: RequestBuilder
    tools: Sequence[Tool]
    gate: ToolGate
    tool_context: ToolContext
    signal: AbortSignal
    steering: MessageSource = nothing
    follow_up: MessageSource = nothing
    observe: ResultObserver = result_kept
    absent: Callable[[str], str] = unknown
    execution: Literal["parallel", "sequential"] = "parallel"
    abort_grace: float = ABORT_GRACE_SECONDS
