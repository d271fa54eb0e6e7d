"""Commands inside a sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult
from tests.tools.sandbox.conftest import Sandbox, Use, eventually, plan_in, text
from tools.builtin.process import PROCESS
from tools.sandbox.variants import VARIANTS

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


def test_it_works(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    result = use(turn, "exec", command="echo out; echo err >&2; exit 3")
    assert "out\nerr" in text(result)
    assert "exited with code 3" in text(result)
    assert (result.details["exitCode"], result.details["cwd"]) == (3, "/workspace")
    assert result.details["sandbox"] == plan_in(turn).name


def test_variables_and_folders(sandbox: Sandbox, use: Use, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    turn = sandbox(docker={"env": {"LANG": "C.UTF-8", "KIND": "box"}})
    turn = replace(turn, environment={"GRANTED": "to the machine only"})
    said = text(use(turn, "exec", command='echo "$KIND $MORE"; env', env={"MORE": "a 'b' ä"}))
    assert "box a 'b' ä" in said
    assert "very-secret" not in said
    assert "GRANTED" not in said
    use(turn, "exec", command="mkdir -p a/b")
    assert text(use(turn, "exec", command="pwd", workdir="a/b")) == "/workspace/a/b"
    assert text(use(turn, "exec", command="pwd", workdir=str(plan_in(turn).folder))) == "/workspace"
    assert text(use(turn, "exec", command="pwd", workdir="/tmp")) == "/tmp"
    assert "not there in the sandbox" in text(use(turn, "exec", command="pwd", workdir="nowhere"))
    for name in ("LD_PRELOAD", "PATH", "DOCKER_HOST"):
        with pytest.raises(ToolError, match=name):
            use(turn, "exec", command="env", env={name: "x"})


def test_output_of_every_kind(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    many = text(use(turn, "exec", command="seq 1 200000"))
    assert many.startswith("1\n2\n")
    assert many.rstrip().endswith("200000")
    assert "left out" in many
    assert text(use(turn, "exec", command="true")) == "(no output)"
    result = use(turn, "exec", command="no-such-program")
    assert result.is_error
    assert "command not found" in text(result)


def test_no_input_and_what_is_left_behind(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    assert text(use(turn, "exec", command="cat; echo end")) == "end"
    assert "before" in text(use(turn, "exec", command="echo before; sleep 1000 & echo after"))


def running(use: Use, turn: ToolContext, what: str) -> bool:
    listed = text(use(turn, "exec", command=f"ps | grep '{what}' | grep -v grep || true"))
    return what in listed


def test_a_time_limit_ends_all_of_it(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    started = "trap '' TERM; (sleep 4321 &) ; sleep 4322"
    result = use(turn, "exec", command=started, timeout=1)
    assert result.details["timedOut"]
    assert "ran longer than 1 seconds" in text(result)
    eventually(lambda: not running(use, turn, "sleep 432"))


def test_a_stop_ends_all_of_it(sandbox: Sandbox, use: Use) -> None:
    turn, signal = sandbox(), AbortSignal()
    use(turn, "exec", command="true")

    async def stop(partial: ToolResult) -> None:
        if "begun" in text(partial):
            signal.abort("stop")

    async def run() -> ToolResult:
        arguments = {"command": "echo begun; sleep 4323", "yieldMs": 120_000}
        return await VARIANTS["exec"].execute("c", arguments, turn, signal, stop)

    assert "the run was ended" in text(asyncio.run(run()))
    eventually(lambda: not running(use, turn, "sleep 4323"))


def status(use: Use, turn: ToolContext) -> list[str]:
    listed = use(turn, "process", action="list").details["sessions"]
    return [str(session["status"]) for session in listed]


def test_in_the_background(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    begun = use(turn, "exec", command="while read line; do echo got $line; done", background=True)
    name = begun.details["sessionId"]
    use(turn, "process", action="write", sessionId=name, data="one\n")
    eventually(lambda: "got one" in text(use(turn, "process", action="log", sessionId=name)))
    assert name in text(use(turn, "process", action="list"))
    use(turn, "process", action="write", sessionId=name, data="", eof=True)
    eventually(lambda: status(use, turn) == ["completed"])


def test_ended_in_the_background(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = use(turn, "exec", command="sleep 4324", background=True).details["sessionId"]
    eventually(lambda: running(use, turn, "sleep 4324"))
    use(turn, "process", action="kill", sessionId=name)
    eventually(lambda: not running(use, turn, "sleep 4324"))


def test_a_terminal(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    assert text(use(turn, "exec", command="tty; stty size", pty=True)).startswith("/dev/pts/")
    begun = use(turn, "exec", command="echo ready; cat", pty=True, background=True)
    name = begun.details["sessionId"]

    def said() -> str:
        return text(use(turn, "process", action="log", sessionId=name))

    eventually(lambda: "ready" in said())
    use(turn, "process", action="submit", sessionId=name, data="hello")
    eventually(lambda: said().count("hello") >= 2)
    use(turn, "process", action="send-keys", sessionId=name, keys=["C-c"])
    eventually(lambda: status(use, turn)[-1:] not in (["running"], ["starting"]))


def test_the_machines_commands_are_not_seen(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    inside = use(turn, "exec", command="sleep 4325", background=True).details["sessionId"]
    outer = replace(turn, sandboxed=False, settings={})

    async def listed() -> str:
        async def ignore(partial: ToolResult) -> None:
            pass

        return text(await PROCESS.execute("c", {"action": "list"}, outer, AbortSignal(), ignore))

    assert inside not in asyncio.run(listed())
    with pytest.raises(ToolError, match="there is no command"):
        use(sandbox(scope="session"), "process", action="kill", sessionId=inside)
    use(turn, "process", action="kill", sessionId=inside)
