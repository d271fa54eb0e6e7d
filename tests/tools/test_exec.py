"""The tool exec: what a command prints, how it ended, and where it ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.exec.tool import EXEC


def run(call: Call, command: str, **arguments: object) -> str:
    return blocks_text(call(EXEC, command=command, **arguments).content)


def refusal(call: Call, **arguments: object) -> str:
    with pytest.raises(ToolError) as caught:
        call(EXEC, **arguments)
    return caught.value.message


def test_it_works(call: Call, workspace: Path) -> None:
    result = call(EXEC, command="echo hello; pwd")
    assert blocks_text(result.content) == f"hello\n{workspace}"
    assert not result.is_error
    assert result.details["status"] == "completed"
    assert result.details["exitCode"] == 0
    assert result.details["cwd"] == str(workspace)
    assert result.details["timedOut"] is False
    assert result.details["durationMs"] >= 0
    assert result.details["tail"] == f"hello\n{workspace}"


def test_both_streams_come_in_order(call: Call) -> None:
    assert run(call, "echo 1; echo 2 >&2; echo 3; echo 4 >&2") == "1\n2\n3\n4"


def test_no_output_has_a_stand_in(call: Call) -> None:
    assert run(call, "true") == "(no output)"
    assert run(call, "exit 3") == "(no output)\n\n[exited with code 3]"


def test_a_command_that_fails_is_a_result(call: Call) -> None:
    result = call(EXEC, command="echo out; exit 7")
    assert blocks_text(result.content) == "out\n\n[exited with code 7]"
    assert not result.is_error
    assert result.details["exitCode"] == 7
    assert result.details["status"] == "completed"


@pytest.mark.parametrize(
    ("command", "code", "hint"),
    [("no-such-program-here", 127, "command not found"), ("./plain.txt", 126, "executable")],
)
def test_a_command_that_cannot_run_is_an_error(
    call: Call, workspace: Path, command: str, code: int, hint: str
) -> None:
    (workspace / "plain.txt").write_text("text")
    result = call(EXEC, command=command)
    assert result.is_error
    assert result.details["exitCode"] == code
    assert result.details["status"] == "failed"
    assert f"[exited with code {code}: " in blocks_text(result.content)
    assert hint in blocks_text(result.content)


def test_a_signal_is_named(call: Call) -> None:
    result = call(EXEC, command="kill -SEGV $$")
    assert result.is_error
    assert result.details["exitCode"] is None
    assert result.details["signal"] == "SIGSEGV"
    assert "[ended by signal SIGSEGV]" in blocks_text(result.content)
    assert "[exited with code 137 (SIGKILL)]" in run(call, "bash -c 'kill -9 $$'; exit $?")


def test_there_is_no_input(call: Call) -> None:
    assert run(call, "cat; echo end") == "end"


def test_there_is_no_terminal(call: Call) -> None:
    assert run(call, "(: < /dev/tty) 2>/dev/null || echo none") == "none"


def test_it_starts_where_it_is_told(call: Call, workspace: Path, tmp_path: Path) -> None:
    (workspace / "sub").mkdir()
    assert run(call, "pwd", workdir="sub") == str(workspace / "sub")
    assert run(call, "pwd", workdir=str(tmp_path)) == str(tmp_path)
    assert refusal(call, command="pwd", workdir="missing").startswith("workdir: 'missing'")
    (workspace / "file").touch()
    assert refusal(call, command="pwd", workdir="file").startswith("workdir: 'file'")


@pytest.mark.parametrize("command", ["", "  \n", "echo a\0b", None, 5])
def test_bad_commands_are_named(call: Call, command: object) -> None:
    assert refusal(call, command=command).startswith("command: ")


def test_a_command_too_long_for_the_system_is_explained(call: Call) -> None:
    assert "could not be started" in refusal(call, command="echo " + "x" * 200_000)


@pytest.mark.parametrize("timeout", [-1, "soon", True, float("nan"), float("inf")])
def test_bad_timeouts_are_named(call: Call, timeout: object) -> None:
    assert refusal(call, command="true", timeout=timeout).startswith("timeout: ")


def test_a_command_may_begin_with_a_dash(call: Call) -> None:
    assert "[exited with code 127" in run(call, "-x; exit 127")


def test_a_missing_workspace_is_made(call: Call, workspace: Path) -> None:
    workspace.rmdir()
    assert run(call, "pwd") == str(workspace)


@pytest.mark.parametrize("shell", ["/usr/bin/fish", "/bin/false", "bash", "", "/no/such/bash"])
def test_other_shells_give_way_to_bash(
    call: Call, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert run(call, 'echo "${BASH_VERSION:+bash}"') == "bash"


def test_the_shell_of_the_user_is_used(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    assert run(call, "echo $0") == "/bin/sh"
