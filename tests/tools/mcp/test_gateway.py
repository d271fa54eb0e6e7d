"""A plugin in a folder and an MCP server in a real gateway."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.gateway_client import RequestRefused, connected
from tests.model_server.fixture import ModelServer
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import wait_for
from tests.tools.mcp.conftest import ROOT, server_entry
from tests.tools.mcp.test_children import alive

EXAMPLE = ROOT / "examples" / "notebook_plugin"


# Two programs with large libraries are started; a busy machine takes its time.
@pytest.mark.exhaustive
@pytest.mark.timeout(300)
async def test_it_works(
    gateway_factory: GatewayFactory, model_server: ModelServer, tmp_path: Path
) -> None:
    """The model calls both, a client calls the plugin's method, nothing outlives the worker."""
    gateway = gateway_factory(
        start=False, OPENAI_BASE_URL=model_server.openai_url, OPENAI_API_KEY="sk-test",
        OPENCLAW_MODEL="openai/scripted",
    )  # fmt: skip
    place = gateway.home / "plugins" / "notebook_plugin"
    shutil.copytree(EXAMPLE, place, ignore=shutil.ignore_patterns("__pycache__"))
    document = {
        "plugins": {"entries": {"notebook": {"enabled": True}}},
        "mcp": {"servers": {"srv": server_entry("good")}},
    }
    (tmp_path / "config.json").write_text(json.dumps(document))
    gateway.manage("config", "apply", str(tmp_path / "config.json"))
    gateway.start()
    key = "agent:main:main"
    async with connected(gateway.ws_url, gateway.token) as client:
        assert "notebook.list" in client.hello["features"]["methods"]
        await client.turn(key, '[[tool:notebook_add {"note":"milk"}]]')
        assert (await client.request("notebook.list"))["notes"] == ["milk"]
        with pytest.raises(RequestRefused, match="unexpected"):
            await client.request("notebook.list", {"surprise": 1})

        for _turn in range(200):
            ended = await client.turn(key, "[[tool:mcp__srv__child {}]]")
            if "EXTERNAL" in ended.text:
                break
            # The server is still on its way.
            await asyncio.sleep(0.2)
    assert "EXTERNAL_UNTRUSTED_CONTENT" in ended.text
    pids = next(line for line in ended.text.splitlines() if line.replace(" ", "").isdigit())
    server, child = map(int, pids.split())
    assert alive(server)
    gateway.stop()
    wait_for(lambda: not alive(server) and not alive(child), seconds=30)
