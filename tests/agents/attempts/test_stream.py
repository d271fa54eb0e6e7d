"""The attempts of one model call, with a scripted service."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from agents.attempts.contracts import Candidate, Slot
from agents.attempts.stream import AttemptStream
from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import UserMessage
from agents.core.model import Done, Failed, ModelEvent, ModelRequest, Restart, TextDelta
from tests.agents.attempts.host import QUICK, Host, Service, model, request, slots, thought


def error(reason: Any, **facts: Any) -> ProviderError:
    return ProviderError(f"it was {reason}", reason=reason, **facts)


def chain(*parts: list[Slot]) -> list[Candidate]:
    return [Candidate(part[0].model.ref, part) for part in parts]


async def played(
    host: Host, service: Service, asked: ModelRequest | None = None, signal: Any = None
) -> list[ModelEvent]:
    stream = AttemptStream(host, service.stream, QUICK)
    first = asked or request(host.chain[0].slots[0].model)
    return [event async for event in stream(first, signal or AbortSignal())]


A, B = "a/one", "b/two"


async def test_it_works() -> None:
    host = Host(chain(slots(A, "k")))
    events = await played(host, Service({}))
    assert isinstance(events[-1], Done)
    assert host.answered == ["k"]
    assert host.attempts == []


async def test_the_next_credential_is_asked_at_once() -> None:
    host = Host(chain(slots(A, "k1", "k2")))
    service = Service({(A, "k1"): [error("auth")]})
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert service.calls == [(A, "k1"), (A, "k2")]
    assert host.rested == [(A, "k1", "auth")]
    assert host.steps == ["rotate"]
    assert host.rebuilt == []


async def test_the_next_model_is_asked_on_the_same_credential() -> None:
    host = Host(chain(slots(A, "k"), slots("a/other", "k"), slots("a/third", "k")))
    service = Service(
        {(A, "k"): [error("model_not_found")], ("a/other", "k"): [error("model_not_found")]}
    )
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert [call[0] for call in service.calls] == [A, "a/other", "a/third"]
    assert host.rebuilt == [("a/other", False), ("a/third", False)]
    assert len(host.warnings) == 2


async def test_what_was_shown_is_taken_back() -> None:
    host = Host(chain(slots(A, "k")))
    service = Service({(A, "k"): [("half an ans", error("timeout")), "whole"]})
    events = await played(host, service)
    shown = [event for event in events if isinstance(event, TextDelta | Restart)]
    assert shown == [TextDelta(0, "half an ans"), Restart(), TextDelta(0, "whole")]
    assert len([event for event in events if isinstance(event, Done | Failed)]) == 1


async def test_the_last_credential_is_kept_for_the_next_call() -> None:
    host = Host(chain(slots(A, "k1", "k2")))
    service = Service({(A, "k1"): [error("auth")]})
    stream = AttemptStream(host, service.stream, QUICK)
    asked = request(model(A, "k1"))
    for _ in range(2):
        async for _event in stream(asked, AbortSignal()):
            pass
    assert service.calls == [(A, "k1"), (A, "k2"), (A, "k2")]


async def test_a_summary_makes_room() -> None:
    host = Host(chain(slots(A, "k")), shrinks=[True])
    service = Service({(A, "k"): [error("context_overflow"), "fits"]})
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert host.steps == ["compact"]
    assert service.requests[1].messages == (
        UserMessage("rebuilt 1", timestamp=service.requests[1].messages[0].timestamp),
    )


async def test_overflow_goes_through_all_its_remedies() -> None:
    parts = [slots(A, "k"), slots(B, "k"), slots("b/big", "k", context_window=900_000)]
    host = Host(chain(*parts), shrinks=[True, False], cuts=[True])
    service = Service({(A, "k"): [error("context_overflow")]})
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert host.steps == ["compact", "compact>truncate", "fallback"]
    assert service.calls[-1] == ("b/big", "k")


async def test_an_overflow_that_nothing_helps_ends_clearly() -> None:
    host = Host(chain(slots(A, "k"), slots(B, "k")))
    service = Service({(A, "k"): [error("context_overflow")]})
    events = await played(host, service)
    assert isinstance(events[-1], Failed)
    assert events[-1].error.reason == "context_overflow"
    assert host.steps == ["compact>truncate>stop"]
    assert service.calls == [(A, "k")]


async def test_an_old_token_is_renewed_once() -> None:
    part = [Slot(model(A, "old"), refreshable=True)]
    host = Host(chain(part), renewals={"old": "new"})
    service = Service({(A, "old"): [error("auth")]})
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert service.calls == [(A, "old"), (A, "new")]
    assert host.rested == []


async def test_a_token_that_cannot_be_renewed_is_left() -> None:
    part = [Slot(model(A, "old"), refreshable=True), *slots(A, "k2")]
    host = Host(chain(part), renewals={"old": error("auth")})
    service = Service({(A, "old"): [error("auth")]})
    events = await played(host, service)
    assert isinstance(events[-1], Done)
    assert service.calls == [(A, "old"), (A, "k2")]
    assert host.rested == [(A, "old", "auth")]


async def test_refused_reasoning_is_left_out() -> None:
    host = Host(chain(slots(A, "k")))
    service = Service({(A, "k"): [error("format", thinking_refused=True), "fine"]})
    asked = request(model(A), UserMessage("hi"), thought(), UserMessage("on"))
    events = await played(host, service, asked)
    assert isinstance(events[-1], Done)
    assert host.rebuilt == [(A, True)]
    assert host.rested == []


async def test_a_resting_chain_is_not_called() -> None:
    resting = error("rate_limit")
    host = Host(chain([replace(slots(A, "k")[0], rests=resting)]))
    service = Service({})
    events = await played(host, service)
    assert isinstance(events[-1], Failed)
    assert events[-1].error is resting
    assert service.calls == []


async def test_a_resting_model_may_be_probed() -> None:
    host = Host(chain([replace(slots(A, "k")[0], rests=error("rate_limit"))]), probes={"k"})
    assert isinstance((await played(host, Service({})))[-1], Done)


async def test_a_resting_model_gives_way() -> None:
    parts = [[replace(slots(A, "k")[0], rests=error("rate_limit"))], slots(B, "k")]
    service = Service({})
    host = Host(chain(*parts))
    assert isinstance((await played(host, service))[-1], Done)
    assert service.calls == [(B, "k")]
    assert len(host.warnings) == 1


async def test_every_error_of_the_chain_is_told() -> None:
    host = Host(chain(slots(A, "k"), slots(B, "k")))
    service = Service({
        (A, "k"): [ProviderError("a is unknown", reason="model_not_found")],
        (B, "k"): [ProviderError("b is unknown", reason="model_not_found")],
    })  # fmt: skip
    last = (await played(host, service))[-1]
    assert isinstance(last, Failed)
    assert last.error.message == "a is unknown | b is unknown"
    assert last.message.error_message == last.error.message


async def test_a_stop_ends_a_wait() -> None:
    host, signal = Host(chain(slots(A, "k"), slots(B, "k"))), AbortSignal()
    policy = replace(QUICK, retry_waits=(60.0, 60.0), longest_wait=60.0)
    service = Service({(A, "k"): [error("timeout")]})
    stream = AttemptStream(host, service.stream, policy)

    async def run() -> list[ModelEvent]:
        return [event async for event in stream(request(model(A)), signal)]

    task = asyncio.create_task(run())
    await host.failing.wait()
    signal.abort("stop")
    last = (await asyncio.wait_for(task, 5))[-1]
    assert isinstance(last, Failed)
    assert last.error.reason == "aborted"
    assert last.message.stop_reason == "aborted"
    assert service.calls == [(A, "k")]


async def test_no_budget_means_no_call() -> None:
    host, service = (
        Host(chain(slots(A, "k")), refusal="Nothing is left of today's $5."),
        Service({}),
    )
    last = (await played(host, service))[-1]
    assert isinstance(last, Failed)
    assert last.error.reason == "budget"
    assert service.calls == []


async def test_a_stream_that_raises_has_failed() -> None:
    async def broken(asked: ModelRequest, signal: AbortSignal) -> Any:
        raise OSError("gone")
        yield

    host = Host(chain(slots(A, "k")))
    events = [
        event
        async for event in AttemptStream(host, broken, QUICK)(request(model(A)), AbortSignal())
    ]
    assert isinstance(events[-1], Failed)
    assert len(host.attempts) == 2


async def test_a_model_that_never_answers_is_not_asked_for_ever() -> None:
    keys = [f"k{number}" for number in range(3)]
    host = Host(chain(slots(A, *keys)))
    service = Service({(A, key): [error("rate_limit")] for key in keys})
    last = (await played(host, service))[-1]
    assert isinstance(last, Failed)
    assert [call[1] for call in service.calls][:3] == keys
    assert len(service.calls) <= 32
