"""Commands in the background: they live on without whoever started them, and can be ended."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext
from tests.tools.background import (
    again,
    ended_in_background,
    execution,
    in_background,
    printed,
    started,
    until,
)
from tests.tools.conftest import Call
from tools.background.control import input_end, input_send, job_kill
from tools.background.job import process_is
from tools.background.jobs import MOST_RUNNING, jobs_all, jobs_folder, jobs_pruned
from tools.background.segments import SEGMENT_BYTES, output_total
from tools.builtin.process import PROCESS


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A home of its own; what still runs at the end is ended."""
    settings.OPENCLAW = replace(settings.OPENCLAW, home=tmp_path / "home")
    yield
    for job in jobs_all():
        job_kill(job)


def test_it_works(context: ToolContext) -> None:
    job = in_background(context, "echo begun; read line; echo got $line; exit 3")
    assert until(lambda: printed(job) == b"begun\n")
    assert job.status == "running"
    assert job.state.free
    input_send(job, b"hello\n")
    assert until(lambda: not again(job.name).running)
    assert printed(job) == b"begun\ngot hello\n"
    ended = again(job.name)
    assert (ended.status, ended.state.code, ended.state.by) == ("completed", 3, "itself")
    assert ended.state.ended >= ended.state.started > 0


def test_a_short_command_answers_at_once_and_leaves_nothing(context: ToolContext) -> None:
    result = started(context, "echo 1; echo 2 >&2; exit 4")
    assert blocks_text(result.content) == "1\n2\n\n[exited with code 4]"
    assert result.details["status"] == "completed"
    assert result.details["exitCode"] == 4
    assert list(jobs_folder().iterdir()) == []


def test_a_long_command_goes_to_the_background(context: ToolContext, workspace: Path) -> None:
    result = started(context, "echo begun; cat; sleep 60", yieldMs=300)
    assert not result.is_error
    details = result.details
    assert details["status"] == "running"
    assert details["tail"] == "begun\n"
    assert details["cwd"] == str(workspace)
    assert process_is(details["pid"], again(details["sessionId"]).state.ticks)
    assert f"as {details['sessionId']} (pid {details['pid']})" in blocks_text(result.content)
    with pytest.raises(ToolError, match="started without input"):
        input_send(again(details["sessionId"]), b"x")


def test_what_the_answer_shows_is_not_shown_again(context: ToolContext, call: Call) -> None:
    result = started(context, "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done", yieldMs=350)
    shown, name = result.details["tail"], result.details["sessionId"]
    assert until(lambda: not again(name).running)
    rest = blocks_text(call(PROCESS, action="poll", sessionId=name).content).split("\n\n")[0]
    assert shown + rest == "1\n2\n3\n4\n5\n6\n7\n8"


def test_a_signal_of_its_own_is_told_apart(context: ToolContext) -> None:
    result = started(context, "kill -9 $$")
    assert result.details["signal"] == "SIGKILL"
    assert result.details["status"] == "failed"


def test_what_it_leaves_running_is_said(context: ToolContext) -> None:
    result = started(context, "sleep 30 & echo $!")
    assert "[something it started in the background still runs" in blocks_text(result.content)
    os.kill(int(blocks_text(result.content).split("\n")[0]), signal.SIGKILL)


def test_it_survives_whoever_started_it(context: ToolContext, tmp_path: Path) -> None:
    """The starter is a process of its own that is killed, as a worker may be."""
    code = (
        "import asyncio, os, sys; from pathlib import Path\n"
        "from tools.background.job import Spec, spec_write\n"
        "from tools.background.start import runner_start\n"
        "async def main():\n"
        "    path = Path(sys.argv[1]); path.mkdir(parents=True)\n"
        "    spec = Spec('c', '/', 'main', 'p1', 'k', 'pipe', 0.0); spec_write(path, spec)\n"
        "    argv = ['/bin/sh', '-c', f'echo $$ > {sys.argv[3]}; read line; echo got $line']\n"
        "    async with runner_start(path, spec, argv=argv, environment={}) as tied:\n"
        "        await tied.started()\n"
        "        if sys.argv[2] == 'free':\n"
        "            assert await tied.let_go()\n"
        "        os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    for name, mode in (("calm-fox", "free"), ("calm-owl", "tied")):
        path = jobs_folder() / name
        arguments = [sys.executable, "-c", code, str(path), mode, str(tmp_path / mode)]
        ended = subprocess.run(arguments, cwd=root, check=False)
        assert ended.returncode == -signal.SIGKILL
    # The one that a call was waiting for ends with it, the other one lives on.
    assert until(lambda: not (jobs_folder() / "calm-owl").exists())
    assert not (tmp_path / "tied").exists() or not _alive(int((tmp_path / "tied").read_text()))
    job = again("calm-fox")
    assert job.status == "running"
    input_send(job, b"on\n")
    assert until(lambda: not again("calm-fox").running)
    assert printed(job) == b"got on\n"


def test_the_whole_group_is_killed(context: ToolContext, workspace: Path) -> None:
    job = in_background(
        context, "(trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & sleep 60"
    )
    assert until(lambda: (workspace / "child").exists() and (workspace / "child").read_text() != "")
    child = int((workspace / "child").read_text())
    ended = job_kill(job)
    assert (ended.status, ended.state.by) == ("failed", "kill")
    assert until(lambda: not _alive(child))


def test_one_without_its_runner_can_be_killed(context: ToolContext) -> None:
    job = in_background(context, "sleep 60")
    os.kill(job.state.runner, signal.SIGKILL)
    assert until(lambda: not _alive(job.state.runner))
    assert again(job.name).status == "running"
    assert job_kill(job).status == "lost"
    assert not _alive(job.state.pid)


def test_a_timeout_ends_it_in_the_background_too(context: ToolContext) -> None:
    job = in_background(context, "echo begun; sleep 60", timeout=0.3)
    assert until(lambda: not again(job.name).running)
    assert again(job.name).state.by == "timeout"
    assert again(job.name).status == "failed"


def test_an_abort_ends_it_before_it_is_let_go(context: ToolContext, workspace: Path) -> None:
    async def scenario() -> tuple[str, bool]:
        stop = AbortSignal()
        task = asyncio.create_task(execution(context, stop, "echo $$ > pid; echo begun; sleep 60"))
        await asyncio.to_thread(until, lambda: (workspace / "pid").exists())
        stop.abort("stop")
        result = await task
        return blocks_text(result.content), result.is_error

    assert asyncio.run(scenario()) == ("begun\n\n[stopped: the run was ended]", True)
    assert until(lambda: not _alive(int((workspace / "pid").read_text())))


def test_a_cancelled_call_ends_it(context: ToolContext, workspace: Path) -> None:
    async def scenario() -> None:
        command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
        task = asyncio.create_task(execution(context, AbortSignal(), command))
        await asyncio.to_thread(until, lambda: (workspace / "pid").exists())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert until(lambda: not _alive(int((workspace / "pid").read_text())))
    assert until(lambda: list(jobs_folder().iterdir()) == [])


def test_a_flood_is_kept_at_both_ends(context: ToolContext) -> None:
    job = ended_in_background(context, "echo first; yes | head -c 8000000; echo last")
    assert output_total(str(job.path)) == 8_000_011
    kept = printed(job)
    assert kept.startswith(b"first\n")
    assert kept.endswith(b"last\n")
    assert len(kept) <= 6 * SEGMENT_BYTES
    assert blocks_text(started(context, "yes | head -c 8000000").content).count("left out") == 1


def test_input_can_be_ended(context: ToolContext) -> None:
    job = in_background(context, "cat; echo over")
    input_send(job, "日本\n".encode())
    input_end(job)
    assert until(lambda: not again(job.name).running)
    assert printed(job).decode() == "日本\nover\n"
    with pytest.raises(ToolError, match="takes no input any more"):
        input_send(again(job.name), b"x")


def test_a_terminal(context: ToolContext) -> None:
    job = in_background(context, "tty; stty size; echo $TERM; read a; echo got $a", pty=True)
    assert until(lambda: b"xterm-256color" in printed(job))
    input_send(job, b"me\r")
    assert until(lambda: not again(job.name).running)
    lines = printed(job).decode().splitlines()
    assert lines[0].startswith("/dev/pts/")
    assert lines[1:] == ["24 80", "xterm-256color", "me", "got me"]


def test_what_ended_long_ago_is_forgotten(context: ToolContext) -> None:
    job = ended_in_background(context, "true")
    assert [one.name for one in jobs_pruned(kept_seconds=60)] == [job.name]
    assert jobs_pruned(kept_seconds=0) == []
    assert not job.path.exists()


def test_too_many_are_refused(context: ToolContext) -> None:
    source = in_background(context, "sleep 60")
    for number in range(MOST_RUNNING - 1):
        copy = jobs_folder() / f"calm-copy-{number}"
        copy.mkdir()
        for name in ("spec", "state"):
            (copy / name).write_bytes((source.path / name).read_bytes())
    with pytest.raises(ToolError, match=f"{MOST_RUNNING} commands of this agent run"):
        started(context, "true")


def test_nothing_but_the_owner_may_read_it(context: ToolContext) -> None:
    job = in_background(context, "umask; sleep 60")
    assert until(lambda: printed(job) != b"")
    assert printed(job) == f"{_umask():04o}\n".encode()
    assert jobs_folder().stat().st_mode & 0o777 == 0o700
    assert job.path.stat().st_mode & 0o777 == 0o700


def test_no_planted_secret_reaches_it(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_API_KEY", "OPENCLAW_GATEWAY_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "planted-7f3a")
    secret = tmp_path / "secret"
    descriptor = os.open(secret, os.O_RDWR | os.O_CREAT)
    os.set_inheritable(descriptor, True)
    # Its parent is the runner, which must not know more than it does.
    command = (
        "env; cat /proc/$PPID/environ /proc/$PPID/cmdline; readlink /proc/$PPID/exe; "
        "for f in /proc/$$/fd/* /proc/$PPID/fd/*; do readlink $f; done"
    )
    try:
        shown = blocks_text(started(context, command).content)
    finally:
        os.close(descriptor)
    assert "python" in shown
    assert "OPENCLAW_SHELL=exec" in shown
    assert "planted-7f3a" not in shown
    assert str(secret) not in shown


def test_a_command_that_cannot_start_is_an_error(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="could not be started"):
        started(context, "echo " + "x" * 200_000)
    assert list(jobs_folder().iterdir()) == []


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
