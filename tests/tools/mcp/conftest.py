"""Configured servers, and the end of what they started."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.core.tools import Tool
from tools.mcp.catalogue import Catalogue, ToolSpec
from tools.mcp.hub import hub
from tools.mcp.settings import mcp_settings
from tools.mcp.store import catalogue_store
from tools.mcp.sync import mcp_begin, mcp_end, mcp_sync
from tools.registry import TOOLS

ROOT = Path(__file__).parents[3]
PROGRAM = "tests.tools.mcp.servers.over_stdio"


def server_entry(kind: str, **settings: Any) -> dict[str, Any]:
    """The entry of a server that is started as a program; a busy machine takes its time."""
    settings.setdefault("connectionTimeoutMs", 100_000)
    return {
        "command": sys.executable, "args": ["-m", PROGRAM, kind], "cwd": str(ROOT), **settings
    }  # fmt: skip


def eventually(happened: Callable[[], Any], seconds: float = 90) -> Any:
    """What `happened` returns once it is true."""
    deadline = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)
    return found


def known(server: str, *names: str) -> None:
    """Lets a configured server be one whose tools a worker has asked for already."""
    specs = tuple(
        ToolSpec(f"mcp__{server}__{name}", name, name, "Does it.", {"type": "object"}, False)
        for name in names
    )
    mark = mcp_settings().servers[server].mark
    catalogue_store(server=server, mark=mark, catalogue=Catalogue(specs))


class McpStand:
    """Servers by their entries, as an administrator writes them."""

    def configure(self, idle: int = 600_000, **servers: dict[str, Any]) -> None:
        """Applies the section and lets all servers be asked; `idle` is in milliseconds."""
        document = {"servers": servers, "sessionIdleTtlMs": idle}
        config_apply(text=json.dumps({"mcp": document}))
        # The hub learns the limits with the settings.
        hub()
        self.sync()
        for one in mcp_settings().servers.values():
            hub().discover(one).result(110)
        self.sync()

    def sync(self) -> None:
        """What a process does when it reads the rules of tools anew."""
        cache_clear()
        mcp_sync()

    def tool(self, name: str) -> Tool:
        """A registered tool."""
        return TOOLS.get(name)

    def names(self) -> list[str]:
        """The registered tools of servers."""
        return [name for name in TOOLS.names() if name.startswith("mcp__")]


@pytest.fixture
def stand(transactional_db: None) -> Iterator[McpStand]:
    """A process that asks servers; nothing of them is left."""
    cache_clear()
    mcp_begin()
    yield McpStand()
    mcp_end()
    config_apply(text="{}")
    cache_clear()
    mcp_sync()
