"""Programs that were started for servers do not outlive what started them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agents.core.messages import Text
from tests.tools.conftest import Call
from tests.tools.mcp.conftest import ROOT, McpStand, eventually, server_entry
from tools.mcp.hub import hub_stop

pytestmark = pytest.mark.django_db(transaction=True)

_PROCESS = """
import asyncio, json, signal, sys, time
import django
django.setup()
from tools.mcp.connection import Connection
from tools.mcp.schema import McpServer
from tools.mcp.settings import configured

async def listed(*_):
    pass

async def main():
    # Before anything is said: the test may be quick.
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    server = McpServer.model_validate(json.loads(sys.argv[1]))
    connection = Connection(configured("srv", server), 600, listed)
    answer = await connection.call("child", {})
    print(answer["content"][0]["text"], flush=True)
    await stop.wait()
    await connection.close()

asyncio.run(main())
"""


def pids(stand: McpStand, call: Call) -> list[int]:
    result = call(stand.tool("mcp__srv__child"))
    text = next(block.text for block in result.content if isinstance(block, Text))
    line = next(line for line in text.splitlines() if line.replace(" ", "").isdigit())
    return [int(pid) for pid in line.split()]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_it_works(stand: McpStand, call: Call) -> None:
    """The server and what it started are gone when the connections are closed."""
    stand.configure(srv=server_entry("good"))
    server, child = pids(stand, call)
    assert alive(server)
    assert alive(child)
    assert os.getpgid(child) == os.getpgid(server) != os.getpgid(0)
    hub_stop()
    eventually(lambda: not alive(server) and not alive(child))


@pytest.mark.exhaustive
def test_a_server_that_is_configured_otherwise_is_ended(stand: McpStand, call: Call) -> None:
    stand.configure(srv=server_entry("good"))
    server, child = pids(stand, call)
    stand.configure(srv=server_entry("good", env={"OTHER": "1"}))
    eventually(lambda: not alive(server) and not alive(child))


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_process(number: signal.Signals) -> None:
    """SIGTERM ends the whole group. Of a process that is killed at least the server ends."""
    entry = json.dumps(server_entry("good"))
    process = subprocess.Popen(
        [sys.executable, "-c", _PROCESS, entry], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    server, child = map(int, process.stdout.readline().split())
    try:
        process.send_signal(number)
        process.wait(60)
        eventually(lambda: not alive(server))
        if number == signal.SIGTERM:
            eventually(lambda: not alive(child))
    finally:
        process.kill()
        if alive(child):
            os.kill(child, signal.SIGKILL)
        process.stdout.close()


@pytest.mark.exhaustive
def test_a_connection_that_nobody_uses_is_closed(stand: McpStand, call: Call) -> None:
    stand.configure(srv=server_entry("good"), idle=1000)
    server, _child = pids(stand, call)
    eventually(lambda: not alive(server))
    assert not call(stand.tool("mcp__srv__echo"), text="again").is_error
