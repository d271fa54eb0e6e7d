"""A rule that asks a person about every `write`, and what tests look at."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agents.core.messages import ToolCall
from agents.core.tools import Park, ToolContext, Verdict
from agents.database import run_db
from agents.selectors import agent_snapshot
from sessions.approvals import watch
from tests.agents.plugins.installed import PluginFolder
from tests.gateway_client import GatewayClient, connected
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway
from tests.sessions.approvals.asking import Asking
from tests.sessions.stage import Stage
from tools.gate import JUDGES

ALL = ("allow-once", "allow-always", "deny")


def judge_writes(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Asks about `write`; nobody else has an opinion of it."""
    if call.name != "write":
        return None
    path = str(call.arguments.get("path"))
    facts = {"command": f"write {path}", "cwd": "/ws", "allow": [{"pattern": path}]}
    return Park("", reason="Writing is watched.", kind="test", facts=facts, decisions=ALL)


@pytest.fixture
def watched_writes() -> Iterator[None]:
    """The rule holds during the test."""
    JUDGES.register("test: writes", judge_writes)
    yield
    JUDGES.unregister("test: writes")


@pytest.fixture
async def asking(stage: Stage, watched_writes: None, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A stage on which writing has to be approved."""
    monkeypatch.setattr(watch, "WATCH_SECONDS", 0.05)
    snapshot = await run_db(lambda: agent_snapshot(slug="main"))
    # Tests of one process share the folder.
    shutil.rmtree(snapshot.workspace, ignore_errors=True)
    return Asking(stage, Path(snapshot.workspace))


PLUGIN = """
id = "asker"

def register(api):
    def ask(event, ctx):
        if event["toolName"] == "write":
            title = f"Write {event['params'].get('path')}?"
            return {"requireApproval": {"title": title, "timeoutMs": 600000}}
    api.on("before_tool_call", ask)
"""


@pytest.fixture(scope="module")
def asking_gateway(
    gateway_factory: GatewayFactory,
    model_server: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Gateway:
    """A gateway with a plugin that wants every `write` approved."""
    folder = tmp_path_factory.mktemp("asker")
    PluginFolder(folder).install("asker", PLUGIN)
    gateway = gateway_factory(
        start=False,
        PYTHONPATH=str(folder),
        OPENAI_BASE_URL=model_server.openai_url,
        OPENCLAW_MODEL="openai/scripted",
    )
    document = folder / "config.json"
    plugins = {"entries": {"asker": {"enabled": True}}}
    told = {"plugin": {"enabled": True, "mode": "session"}}
    document.write_text(json.dumps({"plugins": plugins, "approvals": told}))
    gateway.manage("config", "apply", str(document))
    return gateway.start()


@pytest.fixture
async def owner(asking_gateway: Gateway) -> AsyncIterator[GatewayClient]:
    """The owner's program."""
    async with connected(asking_gateway.ws_url, asking_gateway.token) as client:
        yield client
