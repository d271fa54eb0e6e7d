"""A plugin in a real gateway: loaded by worker and web process, told of their start and end."""

from __future__ import annotations

import json
from pathlib import Path

from agents.hooks.names import HOOK_TABLE
from tests.agents.plugins.installed import PluginFolder
from tests.gateway_client import connected
from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import wait_for

SOURCE = """
import os
from pathlib import Path

id = "diary"

def register(api):
    book = Path(api.config["book"])

    def noted(name):
        def note(event, ctx):
            with book.open("a") as file:
                file.write(f"{name} {event.get('process', '')}\\n")
        return note

    for name in api.config["hooks"]:
        api.on(name, noted(name))
"""
OBSERVED = [name for name, hook in HOOK_TABLE.items() if hook.kind == "observe"]


async def test_it_works(gateway_factory: GatewayFactory, tmp_path: Path) -> None:
    """Enabled by the document; both processes load it, and a message goes past it."""
    PluginFolder(tmp_path).install("diary", SOURCE)
    book = tmp_path / "book"
    gateway = gateway_factory(start=False, PYTHONPATH=str(tmp_path))
    config = {"book": str(book), "hooks": OBSERVED}
    document = tmp_path / "config.json"
    entries = {"diary": {"enabled": True, "config": config}}
    document.write_text(json.dumps({"plugins": {"entries": entries}}))
    gateway.manage("config", "apply", str(document))
    assert "diary  1.2.3  loaded" in gateway.manage("plugins")
    gateway.start()
    async with connected(gateway.ws_url, gateway.token) as client:
        await client.turn("agent:main:main", "hello")

    def lines() -> list[str]:
        return book.read_text().splitlines() if book.exists() else []

    seen = {"gateway_start web", "gateway_start worker", "message_received ", "llm_input "}
    wait_for(lambda: {*seen, "agent_end "} <= set(lines()))
    gateway.stop()
    assert {"gateway_stop web", "gateway_stop worker"} <= set(lines())
