"""How long an answer may become: by the agent, the model, or the message."""

from __future__ import annotations

from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.database import run_db
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage

DOCUMENT = """
models:
  providers:
    mine:
      baseUrl: "%s"
      apiKey: sk-test
      models: [{id: scripted, maxTokens: 4000}]
agents:
  defaults: {model: mine/scripted}
  list: [{id: main, params: {maxTokens: 300}}, {id: other}]
"""


@pytest.mark.parametrize(
    ("agent", "options", "expected"),
    [
        ("main", {}, 300),
        ("main", {"maxTokens": 50}, 50),
        ("other", {}, 4000),
        ("other", {"maxTokens": 9000}, 4000),
    ],
)
async def test_it_works(
    stage: Stage,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    agent: str,
    options: dict[str, Any],
    expected: int,
) -> None:
    """The message's cap, else the agent's, never more than the model can."""
    monkeypatch.delenv("OPENCLAW_MODEL")
    await run_db(config_apply, text=DOCUMENT % model_server.openai_url)
    cache_clear()
    engine = await stage.engine()
    accepted = await stage.accept(
        f"[[echo:for {agent}]]", key=f"agent:{agent}:main", options=options
    )
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"
    body = model_server.requests()[-1]["body"]
    assert body.get("max_tokens", body.get("max_completion_tokens")) == expected
