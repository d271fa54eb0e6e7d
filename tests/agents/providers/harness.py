"""One call of a model, run to its end, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, Message, ToolCall, UserMessage
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    ToolCallEnd,
    ToolSchema,
)
from agents.providers.bedrock.credentials import AwsCredentials
from agents.providers.registry import ClientPool
from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN

VENDORS = (
    "openai-completions",
    "anthropic-messages",
    "bedrock-converse-stream",
    "github-copilot",
)
_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSchema("read", "Reads a file.", _PATH)
WRITE = ToolSchema("write", "Writes a file.", _PATH)
CLOCK = ToolSchema("clock", "Tells the time.", {"type": "object", "properties": {}})
TOOLS = (READ, WRITE, CLOCK)


@dataclass(frozen=True)
class Outcome:
    """All events of a call; the contract says that the last one is Done or Failed."""

    events: Sequence[ModelEvent]

    @property
    def final(self) -> Done | Failed:
        """The last event, after a check that there is only one of its kind."""
        finals = [event for event in self.events if isinstance(event, Done | Failed)]
        assert finals == [self.events[-1]], self.events
        return finals[0]

    @property
    def message(self) -> AssistantMessage:
        """The complete message, whatever happened."""
        return self.final.message

    @property
    def error(self) -> ProviderError:
        """The error of a call that must have failed."""
        assert isinstance(self.final, Failed), self.final
        return self.final.error

    @property
    def done(self) -> AssistantMessage:
        """The message of a call that must have succeeded."""
        assert isinstance(self.final, Done), self.final
        return self.final.message

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of a call that succeeded, after a check that the events tell the same."""
        ended = [event.call for event in self.events if isinstance(event, ToolCallEnd)]
        assert tuple(ended) == self.done.tool_calls
        return self.done.tool_calls

    @property
    def streamed(self) -> str:
        """All visible text as it was streamed."""
        return "".join(event.delta for event in self.events if isinstance(event, TextDelta))

    @property
    def thought(self) -> str:
        """All reasoning as it was streamed."""
        return "".join(event.delta for event in self.events if isinstance(event, ThinkingDelta))


@dataclass
class Harness:
    """A model of one vendor on the scripted server."""

    model: ModelInfo
    pool: ClientPool
    server: ModelServer

    def request(self, *messages: str | Message, **values: Any) -> ModelRequest:
        """A request; texts are user messages. Model fields go into `model`."""
        turned = [UserMessage(m) if isinstance(m, str) else m for m in messages]
        model = replace(self.model, **values.pop("model", {}))
        return ModelRequest(model, turned, **{"tools": TOOLS, **values})

    async def call(
        self, *messages: str | Message, signal: AbortSignal | None = None, **values: Any
    ) -> Outcome:
        """Calls the model and collects its events."""
        request = self.request(*messages, **values)
        stream = self.pool.stream(request, signal or AbortSignal())
        return Outcome([event async for event in stream])

    def last_body(self) -> dict[str, Any]:
        """The body of the last request that the server got."""
        body: dict[str, Any] = self.server.requests()[-1]["body"]
        return body


def model_for(server: ModelServer, api: str) -> ModelInfo:
    """The scripted model in the given API."""
    url = server.openai_url if api == "openai-completions" else server.anthropic_url
    key, compat = "sk-test", {}
    if api == "github-copilot":
        # Its address comes with the token that GitHub gives for this one.
        url, key, compat = "", GITHUB_TOKEN, {"githubUrl": server.url}
    if api == "bedrock-converse-stream":
        key = AwsCredentials("AKIASCRIPTED", "scripted/secret", region="eu-central-1").packed()
    return ModelInfo(
        provider="fake",
        id="fake-1",
        api=api,
        base_url=url,
        api_key=key,
        input=("text", "image"),
        compat=compat,
        timeout_seconds=20.0,
    )


async def until_open(llm: Harness, requests: int) -> int:
    """Waits until the server sees so many open requests; gives what it sees at last."""
    for _ in range(100):
        if llm.server.stats()["in_flight"] == requests:
            break
        await asyncio.sleep(0.05)
    return llm.server.stats()["in_flight"]
