"""Budgets as whoever writes to an agent meets them."""

from __future__ import annotations

import asyncio

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import BudgetHold, BudgetWindow, InboxItem, ModelCall
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage

# One dollar for each thousand tokens; an answer is capped at a hundred.
MODELS = """
models:
  providers:
    priced:
      baseUrl: "%s"
      apiKey: sk-test
      models: [{id: scripted, maxTokens: 100, cost: {input: 1000, output: 1000}}]
"""


@pytest.fixture
async def priced(stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage whose model has a price."""
    monkeypatch.setenv("OPENCLAW_MODEL", "priced/scripted")
    await configure(model_server, "")
    return stage


async def configure(server: ModelServer, budgets: str) -> None:
    """Applies a document with the priced model."""
    text = MODELS % server.openai_url + budgets
    await run_db(config_apply, text=text)
    cache_clear()


async def turn(stage: Stage, text: str, key: str = "agent:main:stage") -> InboxItem:
    """One message from its arrival to its end."""
    accepted = await stage.accept(text, key=key)
    stage.engines[0].submit(accepted.session_id)
    return await stage.ended(accepted)


async def test_it_works(priced: Stage, model_server: ModelServer) -> None:
    """Counted at what the service reported; refused with the amounts, which the run keeps."""
    await configure(model_server, "budgets: {agents: {main: {day: {usd: 9}}}}")
    await priced.engine()
    first = await turn(priced, "[[echo:hello]] [[usage:2000:1000]]")
    assert first.outcome == "answered"
    window = await run_db(BudgetWindow.objects.get)
    assert window.spent_usd == pytest.approx(3.0)
    assert window.spent_tokens == 3000
    assert window.held_usd == pytest.approx(0)
    run = first.run
    assert run is not None
    assert run.cost == pytest.approx(3.0)
    assert run.cost_known

    await configure(model_server, "budgets: {agents: {main: {day: {usd: 3.05}}}}")
    second = await turn(priced, "[[echo:never]]")
    assert second.outcome == "explained"
    run = second.run
    assert run is not None
    assert run.error_kind == "budget"
    assert run.error_message.startswith("This would cost up to $")
    assert "The agent main has $0.05 of $3.05 for today left." in run.error_message
    assert "The limit renews at " in run.error_message
    calls = ModelCall.objects.filter(run=run)
    assert await run_db(lambda: list(calls.values_list("error_kind", flat=True))) == ["budget"]
    assert not await run_db(BudgetHold.objects.exists)
    assert await priced.faults() == []

    await configure(model_server, "budgets: {agents: {main: {day: {usd: 30}}}}")
    assert (await turn(priced, "[[echo:again]]")).outcome == "answered"


async def test_within_a_turn(priced: Stage, model_server: ModelServer) -> None:
    """A run that calls tools again and again ends when its own budget is used up."""
    await configure(model_server, "budgets: {run: {tokens: 30000}}")
    await priced.engine()
    tools = " ".join(f'[[tool:exec {{"command":"echo {n}"}}]]' for n in range(8))
    item = await turn(priced, f"{tools} [[usage:9000:100]]")
    assert item.outcome == "explained"
    assert item.run is not None
    assert item.run.error_message.startswith("This would use up to ")
    assert "A new message starts a new run." in item.run.error_message
    assert (await turn(priced, "[[echo:a new run]]")).outcome == "answered"


async def test_a_failed_call(priced: Stage, model_server: ModelServer) -> None:
    """What it held is given back."""
    await configure(model_server, "budgets: {everyone: {day: {usd: 50}}}")
    await priced.engine()
    await turn(priced, "[[status:400]]")
    window = await run_db(BudgetWindow.objects.get)
    assert [window.spent_usd, window.held_usd] == pytest.approx([0, 0])
    assert not await run_db(BudgetHold.objects.exists)


async def test_a_stopped_call(priced: Stage, model_server: ModelServer) -> None:
    """So is what a call held that somebody stopped."""
    await configure(model_server, "budgets: {everyone: {day: {usd: 50}}}")
    engine = await priced.engine()
    accepted = await priced.accept("[[hang]]", options={"timeoutMs": 300})
    engine.submit(accepted.session_id)
    item = await priced.ended(accepted)
    assert item.outcome == "stopped"
    assert not await run_db(BudgetHold.objects.exists)


async def test_twenty_turns(priced: Stage, model_server: ModelServer) -> None:
    """Sessions that write at once never spend more than the limit."""
    await configure(model_server, "budgets: {people: {'*': {day: {tokens: 60000}}}}")
    await priced.engine()
    # Made once, before twenty messages ask for them at the same time.
    await priced.owner()
    message = "[[delay:50]] [[echo:x]] [[usage:10000:1]]"
    items = await asyncio.gather(
        *(turn(priced, message, f"agent:main:web:{number}") for number in range(20))
    )
    window = await run_db(BudgetWindow.objects.get)
    # Each was held at what it was thought to take; it is the service that says how much it took.
    answered = sum(item.outcome == "answered" for item in items)
    assert window.spent_tokens == answered * 10_001
    assert 0 < answered < 20
    assert window.held_tokens == 0
    refused = [item.run.error_message for item in items if item.outcome != "answered" and item.run]
    assert all("You have " in text for text in refused)
