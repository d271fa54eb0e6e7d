"""A server that is reached over HTTP."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from tests.tools.conftest import Call
from tests.tools.mcp.conftest import McpStand, eventually, server_entry
from tests.tools.mcp.servers.over_http import http_server, streamable

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_works(stand: McpStand, call: Call) -> None:
    with http_server(streamable("good")) as address:
        stand.configure(web={"url": f"{address}/mcp", "headers": {"X-Own": "1"}})
        result = call(stand.tool("mcp__web__echo"), text="hello")
        assert "hello" in str(result.content[0])
        stand.configure()


def test_a_server_that_went_away_is_an_error_for_the_model(stand: McpStand, call: Call) -> None:
    with http_server(streamable("good")) as address:
        stand.configure(web={"url": f"{address}/mcp", "callTimeoutMs": 5000})
    with pytest.raises(ToolError, match="MCP server web"):
        call(stand.tool("mcp__web__echo"), text="hello")


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_stopping_the_turn_cancels_the_request(
    stand: McpStand, context: ToolContext, tmp_path: Path, way: str
) -> None:
    with http_server(streamable("good")) as address:
        stand.configure(srv=server_entry("good") if way == "stdio" else {"url": f"{address}/mcp"})
        signal, mark = AbortSignal(), tmp_path / "call"

        async def stopped() -> None:
            loop = asyncio.get_running_loop()
            work = stand.tool("mcp__srv__slow").execute(
                "1", {"text": str(mark)}, context, signal, _ignore
            )
            begun = threading.Thread(
                target=lambda: (
                    eventually(Path(f"{mark}.began").exists),
                    loop.call_soon_threadsafe(signal.abort),
                )
            )
            begun.start()
            with pytest.raises(ToolError, match="aborted"):
                await work

        asyncio.run(stopped())
        eventually(Path(f"{mark}.cancelled").exists)
        stand.configure()


def test_a_call_that_takes_too_long_ends(stand: McpStand, call: Call, tmp_path: Path) -> None:
    stand.configure(srv=server_entry("good", callTimeoutMs=200))
    with pytest.raises(ToolError, match=r"did not answer within 0\.2 s"):
        call(stand.tool("mcp__srv__slow"), text=str(tmp_path / "call"))
    eventually((tmp_path / "call.cancelled").exists)


async def _ignore(_partial: Any) -> None:
    return None
