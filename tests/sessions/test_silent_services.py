"""A service that falls silent: the call fails after the provider's time, not after the turn's."""

from __future__ import annotations

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import ModelCall
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage

DOCUMENT = """
models:
  providers:
    quiet:
      baseUrl: "%s"
      apiKey: sk-test
      timeoutSeconds: 1
      models: [{id: scripted}]
agents: {defaults: {timeoutSeconds: 60, model: quiet/scripted}}
"""


async def configured(stage: Stage, server: ModelServer) -> None:
    """A provider with a second of patience."""
    await run_db(config_apply, text=DOCUMENT % server.openai_url)
    cache_clear()
    await stage.engine()


@pytest.mark.exhaustive
@pytest.mark.parametrize("silence", ["[[hang]]", "[[echo:one two three]] [[stall:1]]"])
async def test_it_works(
    stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, silence: str
) -> None:
    """The call is a time-out of its own class, tried again, and told in the end."""
    monkeypatch.delenv("OPENCLAW_MODEL")
    await configured(stage, model_server)
    accepted = await stage.accept(silence)
    stage.engines[0].submit(accepted.session_id)
    item = await stage.ended(accepted)
    run = item.run
    assert run is not None
    assert (item.outcome, run.error_kind) == ("explained", "timeout")
    assert "1 second" in run.error_message
    rows = ModelCall.objects.filter(run=run)
    kinds = await run_db(lambda: set(rows.values_list("error_kind", flat=True)))
    assert kinds == {"timeout"}
    assert await stage.faults() == []


async def test_services_close_by(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a stated time one on this machine may take as long as the turn."""
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]", options={"timeoutMs": 700})
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert (item.outcome, item.detail) == ("stopped", "the time limit")
