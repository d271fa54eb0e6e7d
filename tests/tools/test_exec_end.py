"""However a command behaves, the tool comes back, and what was stopped is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext, ToolResult
from tests.tools.conftest import Call
from tools.builtin.exec.tool import EXEC


async def ignore(partial: ToolResult) -> None:
    """No listener."""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def pid_in(path: Path) -> int:
    assert until(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def test_it_works(call: Call, workspace: Path) -> None:
    result = call(EXEC, command="echo $$ > pid; echo begun; sleep 60", timeout=0.3)
    assert result.is_error
    assert result.details["status"] == "failed"
    assert result.details["timedOut"] is True
    assert result.details["durationMs"] < 30_000
    shown = blocks_text(result.content)
    assert shown.startswith("begun\n\n[stopped: it ran longer than 0.3 seconds")
    assert not alive(pid_in(workspace / "pid"))


def test_the_whole_group_is_killed(call: Call, workspace: Path) -> None:
    command = "(trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & sleep 60"
    result = call(EXEC, command=command, timeout=0.5)
    assert result.details["timedOut"] is True
    child = pid_in(workspace / "child")
    assert until(lambda: not alive(child))


def test_a_program_that_will_not_end_is_killed(call: Call) -> None:
    result = call(EXEC, command="trap '' TERM INT HUP; while :; do sleep 0.05; done", timeout=0.2)
    assert result.details["signal"] == "SIGKILL"


def test_a_program_may_end_in_order(call: Call) -> None:
    command = "trap 'echo goodbye; exit 0' TERM; while :; do sleep 0.05; done"
    result = call(EXEC, command=command, timeout=0.3)
    assert "goodbye" in blocks_text(result.content)
    assert result.details["exitCode"] == 0
    assert result.details["timedOut"] is True


def test_no_limit_is_no_limit(call: Call) -> None:
    assert call(EXEC, command="sleep 0.3; echo done", timeout=0).details["exitCode"] == 0


def test_a_background_process_does_not_hang_the_tool(call: Call, workspace: Path) -> None:
    result = call(EXEC, command="sleep 60 & echo $! > pid; echo started")
    shown = blocks_text(result.content)
    pid = pid_in(workspace / "pid")
    still_there = alive(pid)
    os.kill(pid, signal.SIGKILL)
    assert shown.startswith("started\n\n[something it started")
    assert not result.is_error
    assert still_there


def test_a_background_process_with_its_own_output_is_no_matter(call: Call, workspace: Path) -> None:
    result = call(EXEC, command="sleep 60 >/dev/null 2>&1 & echo $! > pid; echo started")
    os.kill(pid_in(workspace / "pid"), signal.SIGKILL)
    assert blocks_text(result.content) == "started"


def test_a_background_process_that_floods_does_not_hang_the_tool(
    call: Call, workspace: Path
) -> None:
    result = call(EXEC, command="yes & echo $! > pid")
    pid = pid_in(workspace / "pid")
    assert not result.is_error
    # Its pipe is closed, so that it ends by itself.
    assert until(lambda: not alive(pid))


def test_an_abort_ends_it_and_keeps_the_output(context: ToolContext, workspace: Path) -> None:
    async def scenario() -> ToolResult:
        stop = AbortSignal()
        arguments = {"command": "echo begun; echo $$ > pid; sleep 60"}
        task = asyncio.create_task(EXEC.execute("c", arguments, context, stop, ignore))
        await asyncio.to_thread(pid_in, workspace / "pid")
        stop.abort("stop")
        return await task

    result = asyncio.run(scenario())
    assert blocks_text(result.content) == "begun\n\n[stopped: the run was ended]"
    assert result.is_error
    assert result.details["timedOut"] is False
    assert not alive(pid_in(workspace / "pid"))


def test_nothing_starts_after_an_abort(context: ToolContext, workspace: Path) -> None:
    async def scenario() -> None:
        stop = AbortSignal()
        stop.abort()
        await EXEC.execute("c", {"command": "touch ran"}, context, stop, ignore)

    with pytest.raises(ToolError, match="not started"):
        asyncio.run(scenario())
    assert not (workspace / "ran").exists()


def test_a_cancelled_task_kills_its_command(context: ToolContext, workspace: Path) -> None:
    async def scenario() -> None:
        arguments = {"command": "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"}
        task = asyncio.create_task(EXEC.execute("c", arguments, context, AbortSignal(), ignore))
        await asyncio.to_thread(pid_in, workspace / "pid")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pid = pid_in(workspace / "pid")
        assert await asyncio.to_thread(until, lambda: not alive(pid))

    asyncio.run(scenario())


def test_it_runs_on_a_loop_in_another_thread(context: ToolContext) -> None:
    shown: list[str] = []

    async def many() -> None:
        arguments = [{"command": f"echo {number}"} for number in range(20)]
        runs = [EXEC.execute("c", item, context, AbortSignal(), ignore) for item in arguments]
        shown.extend(blocks_text(result.content) for result in await asyncio.gather(*runs))

    thread = threading.Thread(target=lambda: asyncio.run(many()))
    thread.start()
    thread.join(60)
    assert shown == [str(number) for number in range(20)]


def test_a_flood_leaves_the_loop_to_others(context: ToolContext) -> None:
    async def scenario() -> int:
        arguments = {"command": "timeout 0.5 yes"}
        task = asyncio.create_task(EXEC.execute("c", arguments, context, AbortSignal(), ignore))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(scenario()) >= 5


def test_no_descriptor_is_left_open(call: Call) -> None:
    def count() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    call(EXEC, command="true")
    before = count()
    for command in ("true", "exit 3", "sleep 1 & true"):
        call(EXEC, command=command)
    call(EXEC, command="sleep 60", timeout=0.05)
    with pytest.raises(ToolError):
        call(EXEC, command="echo " + "x" * 200_000)
    assert count() == before
