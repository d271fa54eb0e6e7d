"""An agent as a library: one conversation in memory, no framework, no store.

session = create_agent_session(model=model, client_or_stream_fn=client, tools=[...])
session.subscribe(lambda event: ...)
await session.prompt("Hello")
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import cast

from agents.core.abort import AbortKind, AbortSignal
from agents.core.errors import UserError
from agents.core.events import AgentEnd, LoopEvent
from agents.core.loop import LoopConfig, LoopContext, run_loop
from agents.core.message_queue import DrainMode, MessageQueue
from agents.core.messages import AssistantMessage, Message, ThinkingLevel, UserMessage
from agents.core.model import ModelClient, ModelInfo, ModelRequest, StreamFn, ToolSchema
from agents.core.principal import ALL_SCOPES, Principal
from agents.core.tools import AllowAll, Tool, ToolContext, ToolGate, ToolResult
from agents.core.transcript import is_broken, missing_result, open_batch, repair_pairs

Listener = Callable[[LoopEvent], Awaitable[None] | None]


def create_agent_session(
    *,
    model: ModelInfo,
    client_or_stream_fn: ModelClient | StreamFn,
    tools: Sequence[Tool] = (),
    system: str = "",
    workspace: str | Path = ".",
    gate: ToolGate | None = None,
) -> AgentSession:
    """A new conversation with one agent.

    Without a `gate` every tool call is allowed. Raises UserError when two tools share a name.
    """
    names = [tool.name for tool in tools]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"tools: the name {twice[0]!r} is used twice; rename one of them.")
    stream = cast(StreamFn, getattr(client_or_stream_fn, "stream", None) or client_or_stream_fn)
    context = ToolContext(
        agent_id="main",
        session_key="agent:main:main",
        workspace=Path(workspace).resolve(),
        principal=Principal(id="local", is_owner=True, scopes=ALL_SCOPES),
    )
    return AgentSession(model, stream, tools, system, gate or AllowAll(), context)


class AgentSession:
    """One conversation. Belongs to one event loop; runs one prompt at a time.

    `model`, `system`, `tools`, `thinking`, `stream_fn` and `gate` may be exchanged between runs;
    wrap `stream_fn` to see or change every model call.
    """

    def __init__(
        self,
        model: ModelInfo,
        stream_fn: StreamFn,
        tools: Sequence[Tool],
        system: str,
        gate: ToolGate,
        tool_context: ToolContext,
    ) -> None:
        self.model = model
        self.stream_fn = stream_fn
        self.tools = tuple(tools)
        self.system = system
        self.gate = gate
        self.tool_context = tool_context
        self.thinking: ThinkingLevel = "off"
        self._messages: list[Message] = []
        self._listeners: list[Listener] = []
        self._steering = MessageQueue()
        self._follow_ups = MessageQueue()
        self._signal: AbortSignal | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def messages(self) -> list[Message]:
        """A copy of the conversation so far."""
        return list(self._messages)

    @property
    def running(self) -> bool:
        """Whether a prompt is being worked on, its last listener included."""
        return not self._idle.is_set()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` for every event, awaiting it if it can be; returns the way out.

        An exception of a listener ends the run and comes out of `prompt`.
        """
        self._listeners.append(listener)
        return lambda: self._unsubscribe(listener)

    async def prompt(self, message: str | UserMessage) -> AgentEnd:
        """Says something to the agent and returns when it is through.

        Calls of the last answer that still wait (a parked turn) are given up with an error result.
        Raises UserError while another prompt is running.
        """
        self._must_be_idle("prompt")
        given_up = open_batch(self._messages)
        closing = given_up.calls if given_up else ()
        said = _user_message(message)
        return await self._run(
            [*(missing_result(call, said.timestamp) for call in closing), said], {}
        )

    async def continue_(self, answers: Mapping[str, ToolResult] | None = None) -> AgentEnd:
        """Goes on without a new prompt: again after a failure, or with tool calls that wait.

        A failed or aborted last answer is taken out of the conversation first. `answers` maps ids
        of waiting calls to results that are already known. When the last message is a complete
        answer the queues are asked for something to say. Raises UserError when there is nothing
        to go on with, or while a prompt is running.
        """
        self._must_be_idle("continue_")
        prompts: Sequence[Message] = ()
        if self._messages and is_broken(self._messages[-1]):
            self._messages.pop()
        if not self._messages:
            raise UserError("messages: the conversation is empty; call prompt() first.")
        if self._is_answered():
            prompts = await self._steering.take() or await self._follow_ups.take()
            if not prompts:
                raise UserError("messages: the last answer is complete; call prompt() instead.")
        return await self._run(prompts, answers or {})

    def steer(self, message: str | UserMessage) -> None:
        """Says something to the running agent; it sees it before its next model call."""
        self._steering.put(_user_message(message))

    def follow_up(self, message: str | UserMessage) -> None:
        """Says something that the agent sees when it would stop."""
        self._follow_ups.put(_user_message(message))

    def set_queue_modes(self, *, steering: DrainMode, follow_up: DrainMode) -> None:
        """How many waiting messages the agent sees at once (one-at-a-time, all)."""
        self._steering.mode = steering
        self._follow_ups.mode = follow_up

    def clear_queues(self) -> None:
        """Forgets what steer() and follow_up() left."""
        self._steering.clear()
        self._follow_ups.clear()

    def abort(self, kind: AbortKind = "rpc") -> None:
        """Asks the running prompt to end; what was said so far stays. Nothing when idle."""
        if self._signal is not None:
            self._signal.abort(kind)

    async def wait_idle(self) -> None:
        """Returns as soon as nothing runs."""
        await self._idle.wait()

    def replace_messages(self, messages: Sequence[Message]) -> None:
        """Exchanges the whole conversation. Raises UserError while a prompt is running."""
        self._must_be_idle("replace_messages")
        self._messages = list(messages)

    async def _run(self, prompts: Sequence[Message], answers: Mapping[str, ToolResult]) -> AgentEnd:
        self._idle.clear()
        self._signal = AbortSignal()
        try:
            return await run_loop(
                LoopContext(self._messages, prompts, answers), self._config(), self._emit
            )
        finally:
            self._signal = None
            self._idle.set()

    def _config(self) -> LoopConfig:
        return LoopConfig(
            stream=self.stream_fn,
            build_request=self._build_request,
            tools=self.tools,
            gate=self.gate,
            tool_context=self.tool_context,
            signal=self._signal or AbortSignal(),
            steering=self._steering.take,
            follow_up=self._follow_ups.take,
        )

    async def _build_request(self, messages: Sequence[Message]) -> ModelRequest:
        return ModelRequest(
            model=self.model,
            messages=repair_pairs(messages),
            system=self.system,
            tools=[ToolSchema(t.name, t.description, t.parameters) for t in self.tools],
            thinking=self.thinking,
            session_id=self.tool_context.session_key,
        )

    async def _emit(self, event: LoopEvent) -> None:
        for listener in tuple(self._listeners):
            waiting = listener(event)
            if isawaitable(waiting):
                await waiting

    def _unsubscribe(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _is_answered(self) -> bool:
        last = self._messages[-1]
        return isinstance(last, AssistantMessage) and open_batch(self._messages) is None

    def _must_be_idle(self, name: str) -> None:
        if self.running:
            raise UserError(
                f"{name}: a prompt is running; use steer() or follow_up(), or wait for it to end."
            )


def _user_message(message: str | UserMessage) -> UserMessage:
    return UserMessage(message) if isinstance(message, str) else message
