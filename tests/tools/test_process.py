"""The tool process: looks after commands in the background."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tests.tools.background import again, ended_in_background, ignore, in_background, printed, until
from tests.tools.conftest import Call
from tools.background.control import job_kill
from tools.background.job import Job
from tools.background.jobs import jobs_all
from tools.builtin.process import PROCESS


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A home of its own; what still runs at the end is ended."""
    settings.OPENCLAW = replace(settings.OPENCLAW, home=tmp_path / "home")
    yield
    for job in jobs_all():
        job_kill(job)


def said(call: Call, action: str, job: Job | None = None, **arguments: Any) -> str:
    named = {"sessionId": job.name} if job else {}
    return blocks_text(call(PROCESS, action=action, **named, **arguments).content)


def refusal(call: Call, action: str, job: Job | None = None, **arguments: Any) -> str:
    with pytest.raises(ToolError) as caught:
        said(call, action, job, **arguments)
    return caught.value.message


def ended(job: Job) -> Job:
    assert until(lambda: not again(job.name).running)
    return again(job.name)


def test_it_works(call: Call, context: ToolContext) -> None:
    job = in_background(context, "read b; echo $b; while read a; do echo got $a; done; exit 5")
    said(call, "write", job, data="ready\n")
    assert said(call, "poll", job, timeout=20_000) == f"ready\n\n[{job.name}: running]"
    assert said(call, "write", job, data="one\n").startswith("4 bytes were sent")
    assert said(call, "poll", job, timeout=20_000).startswith("got one\n\n")
    said(call, "submit", job, data="two")
    assert said(call, "poll", job, timeout=20_000).startswith("got two\n\n")
    assert "its input was ended" in said(call, "write", job, data="three\n", eof=True)
    ended(job)
    assert said(call, "poll", job) == f"got three\n\n[{job.name}: exited with code 5]"
    assert said(call, "log", job) == (
        f"ready\ngot one\ngot two\ngot three\n\n[lines 1-4 of 4; {job.name}: exited with code 5]"
    )


def test_a_list_tells_them_apart(call: Call, context: ToolContext) -> None:
    assert said(call, "list") == "No commands run in the background, and none ended lately."
    first = in_background(context, "sleep 60")
    second = ended_in_background(context, "echo end; exit 2")
    lines = said(call, "list").split("\n")
    assert [line.split("  ")[:2] for line in lines] == [
        [first.name, "running"],
        [second.name, "exited with code 2"],
    ]
    assert lines[0].endswith(f"pid {first.state.pid}  sleep 60")
    assert lines[1].endswith("read go; echo end; exit 2 | end")
    details = call(PROCESS, action="list").details["sessions"]
    assert [one["status"] for one in details] == ["running", "completed"]


def test_a_poll_without_news_says_when_to_look_again(call: Call, context: ToolContext) -> None:
    job = in_background(context, "sleep 60")
    waits = [
        call(PROCESS, action="poll", sessionId=job.name).details["retryInMs"] for _ in range(5)
    ]
    assert waits == [5_000, 10_000, 30_000, 60_000, 60_000]
    assert "nothing new; look again in 60 seconds" in said(call, "poll", job)


def test_a_poll_ends_when_the_run_is_stopped(context: ToolContext) -> None:
    job = in_background(context, "sleep 60")

    async def scenario() -> ToolResult:
        stop = AbortSignal()
        arguments = {"action": "poll", "sessionId": job.name, "timeout": 30_000}
        task = asyncio.create_task(PROCESS.execute("c", arguments, context, stop, ignore))
        await asyncio.sleep(0)
        stop.abort("stop")
        return await asyncio.wait_for(task, 20)

    assert "running" in blocks_text(asyncio.run(scenario()).content)


def test_a_long_log_comes_in_windows(call: Call, context: ToolContext) -> None:
    job = ended_in_background(context, "seq 1000")
    assert said(call, "log", job).startswith("801\n802\n")
    assert "[lines 801-1000 of 1000;" in said(call, "log", job)
    assert said(call, "log", job, offset=5, limit=2).startswith("5\n6\n\n[lines 5-6 of 1000;")
    assert refusal(call, "log", job, offset=1001) == (
        "offset: 1001 is beyond the end; there are 1000 lines."
    )


def test_keys_reach_a_terminal(call: Call, context: ToolContext) -> None:
    job = in_background(context, "cat; echo after $?", pty=True)
    said(call, "send-keys", job, literal="hallo", keys=["Enter"])
    assert until(lambda: printed(job).count(b"hallo") == 2)
    said(call, "send-keys", job, keys=["C-d"])
    assert ended(job).status == "completed"
    assert "after 0" in said(call, "log", job)


def test_control_c_interrupts(call: Call, context: ToolContext) -> None:
    job = in_background(context, "echo ready; exec sleep 60", pty=True)
    assert until(lambda: b"ready" in printed(job))
    said(call, "send-keys", job, keys=["C-c"])
    assert ended(job).state.code == -2
    assert "[" + job.name + ": ended by signal SIGINT]" in said(call, "poll", job)


def test_control_c_under_a_gateway_that_ignores_it(call: Call, context: ToolContext) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job = in_background(context, "echo ready; exec sleep 60", pty=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert until(lambda: b"ready" in printed(job))
    said(call, "send-keys", job, keys=["C-c"])
    assert ended(job).state.code == -2


def test_cursor_keys_and_pastes_follow_the_terminal(call: Call, context: ToolContext) -> None:
    command = (
        r"printf '\033[?1hready'; stty raw -echo; head -c 3 | od -An -c; head -c 15 | od -An -c"
    )
    job = in_background(context, command, pty=True)
    assert until(lambda: b"ready" in printed(job))
    assert until(lambda: "-icanon" in _terminal_settings(job))
    said(call, "send-keys", job, keys=["Up"])
    assert until(lambda: b"033   O   A" in printed(job))
    said(call, "paste", job, text="a\nb")
    ended(job)
    assert b"033   [   2   0   0   ~   a  \\n   b 033   [   2   0   1   ~" in printed(job)


def test_kill_clear_and_remove(call: Call, context: ToolContext) -> None:
    first, second = in_background(context, "sleep 60"), in_background(context, "sleep 60")
    assert refusal(call, "clear", first) == f"{first.name} still runs. Use kill or remove."
    assert said(call, "kill", first) == f"{first.name} was killed with all it started."
    assert said(call, "kill", first) == f"{first.name} had ended: killed."
    assert said(call, "clear") == f"Forgotten: {first.name}."
    assert said(call, "clear") == "Nothing had ended."
    assert said(call, "remove", second) == f"{second.name} was removed."
    assert list(jobs_all()) == []
    assert not Path(f"/proc/{second.state.pid}").exists()


@pytest.mark.parametrize(
    "other", [{"agent_id": "other"}, {"principal": Principal("p2", is_owner=True)}]
)
def test_commands_of_others_are_not_there(context: ToolContext, other: dict[str, Any]) -> None:
    job = in_background(context, "sleep 60")
    stranger = replace(context, **other)

    def run(**arguments: Any) -> str:
        work = PROCESS.execute("c", arguments, stranger, AbortSignal(), ignore)
        return blocks_text(asyncio.run(work).content)

    assert run(action="list").startswith("No commands run")
    for action in ("poll", "log", "write", "kill", "remove", "clear"):
        with pytest.raises(ToolError, match=r"^sessionId: there is no command .* There are: none"):
            run(action=action, sessionId=job.name, data="x")
    assert run(action="clear") == "Nothing had ended."
    assert again(job.name).running


@pytest.mark.parametrize(
    ("arguments", "said_so"),
    [
        ({"action": "fly"}, "action: 'fly' is unknown; use one of poll, list"),
        ({"action": "poll"}, "sessionId: expected text, but it is missing."),
        (
            {"action": "log", "sessionId": "../../etc"},
            "sessionId: there is no command '../../etc'.",
        ),
        ({"action": "poll", "sessionId": "a\0b"}, "sessionId: there is no command"),
        ({"action": "write", "sessionId": "J"}, "data: expected text, but it is missing."),
        ({"action": "send-keys", "sessionId": "J"}, "keys: give keys, hex or literal."),
        ({"action": "send-keys", "sessionId": "J", "keys": "Enter"}, "keys: expected a list"),
        ({"action": "send-keys", "sessionId": "J", "keys": ["Nope"]}, "keys: 'Nope' is unknown"),
        ({"action": "paste", "sessionId": "J"}, "text: expected text, but it is missing."),
        ({"action": "log", "sessionId": "J", "offset": 0}, "offset: must be 1 or more"),
    ],
)
def test_bad_calls_are_named(
    call: Call, context: ToolContext, arguments: dict[str, Any], said_so: str
) -> None:
    if arguments.get("sessionId") == "J":
        arguments = {**arguments, "sessionId": in_background(context, "sleep 60").name}
    with pytest.raises(ToolError) as caught:
        call(PROCESS, **arguments)
    assert caught.value.message.startswith(said_so)


def test_a_full_input_is_refused(call: Call, context: ToolContext) -> None:
    job = in_background(context, "sleep 60")
    said(call, "write", job, data="x" * 600_000)
    assert "does not read its input" in refusal(call, "write", job, data="x" * 600_000)


def _terminal_settings(job: Job) -> str:
    with Path(f"/proc/{job.state.pid}/fd/0").open() as terminal:
        return subprocess.run(
            ["stty", "-a"], stdin=terminal, capture_output=True, text=True, check=False
        ).stdout
