"""An owner of turns that keeps everything in lists, and a service that answers by a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.attempts.contracts import Candidate, FailedAttempt, Slot
from agents.core.abort import AbortSignal
from agents.core.attempts import AttemptPolicy, Step
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, Message, Text, Thinking, UserMessage
from agents.core.model import (
    Done,
    Failed,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Start,
    TextDelta,
)

QUICK = AttemptPolicy(
    patience=0.002,
    longest_wait=1.0,
    waits=(0.001, 0.001, 0.001),
    overload_waits=(0.001, 0.001, 0.001, 0.001),
    retry_waits=(0.001, 0.001),
)


def model(ref: str, key: str = "k", **facts: Any) -> ModelInfo:
    provider, _, name = ref.partition("/")
    return ModelInfo(provider=provider, id=name, api="test", profile=key, **facts)


def slots(ref: str, *keys: str, **facts: Any) -> list[Slot]:
    return [Slot(model(ref, key, **facts)) for key in keys]


def request(first: ModelInfo, *messages: Message) -> ModelRequest:
    return ModelRequest(model=first, messages=messages or (UserMessage("hi"),))


@dataclass
class Service:
    """Answers by (provider/model, credential): a list of outcomes used up one by one, the last
    for ever. An outcome is a text, or an error, or (text shown before, error).
    """

    outcomes: dict[tuple[str, str], list[Any]]
    calls: list[tuple[str, str]] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)

    async def stream(self, asked: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        key = (asked.model.ref, asked.model.profile)
        self.calls.append(key)
        self.requests.append(asked)
        waiting = self.outcomes.get(key, ["ok"])
        outcome = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        yield Start()
        text, error = outcome if isinstance(outcome, tuple) else (outcome, None)
        if isinstance(text, ProviderError):
            text, error = "", text
        if text:
            yield TextDelta(0, text)
        content = (Text(text),) if text else ()
        message = AssistantMessage(content=content, provider=asked.model.provider)
        if error is None:
            yield Done(message)
        else:
            yield Failed(replace(message, stop_reason="error", error_message=str(error)), error)


@dataclass
class Host:
    """The in-memory owner. `shrinks` and `cuts` are the answers of compact and truncate."""

    chain: Sequence[Candidate]
    shrinks: list[bool] = field(default_factory=list)
    cuts: list[bool] = field(default_factory=list)
    renewals: dict[str, Any] = field(default_factory=dict)
    stale: dict[str, ProviderError] = field(default_factory=dict)
    probes: set[str] = field(default_factory=set)
    refusal: str = ""
    attempts: list[FailedAttempt] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    rested: list[tuple[str, str, str]] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    rebuilt: list[tuple[str, bool]] = field(default_factory=list)
    next_opened: int = 0
    failing: asyncio.Event = field(default_factory=asyncio.Event)

    async def candidate(self, index: int) -> Candidate | None:
        return self.chain[index] if index < len(self.chain) else None

    async def later(self, index: int, asked: ModelRequest) -> Sequence[tuple[int, int]]:
        return [
            (number, candidate.slots[0].model.context_window)
            for number, candidate in enumerate(self.chain)
            if number > index and candidate.slots
        ]

    async def may_probe(self, slot: Slot, *, first: bool) -> bool:
        return slot.model.profile in self.probes

    async def ready(self, slot: Slot) -> Slot | ProviderError:
        return self.stale.get(slot.model.profile, slot)

    async def refresh(self, slot: Slot) -> Slot | ProviderError:
        renewed = self.renewals[slot.model.profile]
        if isinstance(renewed, ProviderError):
            return renewed
        return replace(slot, model=replace(slot.model, profile=renewed))

    async def rebuild(self, wanted: ModelInfo, *, repaired: bool) -> ModelRequest:
        self.rebuilt.append((wanted.ref, repaired))
        return request(wanted, UserMessage(f"rebuilt {len(self.rebuilt)}"))

    async def reserve(self, asked: ModelRequest) -> str:
        return self.refusal

    async def succeeded(self, slot: Slot, message: AssistantMessage, attempt: int) -> None:
        self.answered.append(slot.model.profile)

    async def failed(self, attempt: FailedAttempt, *, opens_next: bool) -> None:
        self.attempts.append(attempt)
        self.steps.append(attempt.step.name)
        self.next_opened += opens_next
        self.failing.set()

    async def amend(self, step: Step) -> None:
        self.steps[-1] += f">{step.name}"

    async def rest(self, slot: Slot, error: ProviderError) -> None:
        self.rested.append((slot.model.ref, slot.model.profile, error.reason))

    async def warn(self, text: str) -> None:
        self.warnings.append(text)

    async def compact(self, asked: ModelRequest, error: ProviderError) -> bool:
        return self.shrinks.pop(0) if self.shrinks else False

    async def truncate(self, asked: ModelRequest) -> bool:
        return self.cuts.pop(0) if self.cuts else False


def thought() -> AssistantMessage:
    return AssistantMessage(content=(Thinking("hm", "sig"), Text("so")))
