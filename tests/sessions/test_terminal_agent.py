"""`manage.py agent`: a message from a shell, its answer on standard output."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.platform.gateway import ROOT, Gateway


def agent(gateway: Gateway, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", "agent", *arguments],
        cwd=ROOT,
        env=gateway.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_works(model_gateway: Gateway) -> None:
    """The answer is on standard output, the tool call is one line beside it."""
    call = '[[tool:exec {"command": "echo hello"}]][[final:it is done]]'
    done = agent(model_gateway, "--message", call)
    assert (done.returncode, done.stdout) == (0, "it is done\n"), done.stderr
    assert done.stderr == "[exec echo hello]\n"


def test_json_is_one_object(model_gateway: Gateway) -> None:
    """Programs get the end of the run and nothing else."""
    done = agent(model_gateway, "-m", "[[echo:hi]][[usage:12:3]]", "--json")
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["text"], answer["error"]) == ("final", "hi", None)
    assert (answer["usage"]["input"], answer["usage"]["output"]) == (12, 3)
    assert answer["sessionKey"] == "agent:main:main"
    assert answer["runId"]
    assert done.stderr == ""


def test_session_can_be_named(model_gateway: Gateway) -> None:
    """A short key is one of the named agent."""
    done = agent(model_gateway, "-m", "x", "--agent", "main", "--session-key", "desk", "--json")
    assert json.loads(done.stdout)["sessionKey"] == "agent:main:desk"


def test_failure_has_a_reason_and_a_code(model_gateway: Gateway) -> None:
    """A model that refuses ends with 1 and says why."""
    done = agent(model_gateway, "-m", "[[status:400]]", "--session-key", "failing")
    assert done.returncode == 1
    assert "[failed: " in done.stderr
    done = agent(model_gateway, "-m", "[[status:400]]", "--session-key", "failing", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"]) == (1, "error")
    assert answer["error"]["message"]


def test_text_does_not_steer_the_terminal(model_gateway: Gateway) -> None:
    """Escape sequences of a model are taken out."""
    done = agent(model_gateway, "-m", "[[echo:a\x1b[31mb\x07c]]", "--session-key", "escape")
    assert done.stdout == "a[31mbc\n"


def test_interrupt_stops_the_run(model_gateway: Gateway) -> None:
    """Ctrl-C ends the turn itself, not just the command."""
    command = [sys.executable, "manage.py", "agent", "-m", "[[tokens:2000:20]]"]
    process = subprocess.Popen(
        [*command, "--session-key", "long"],
        cwd=ROOT,
        env=model_gateway.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(4) == "tok0"
    process.send_signal(signal.SIGINT)
    _out, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert errors == "[stopping]\n[stopped]\n"
    assert "aborted" in model_gateway.manage("runs", "--session", "agent:main:long")


@pytest.mark.exhaustive
def test_without_a_worker_it_says_what_to_do(gateway_factory: Callable[..., Gateway]) -> None:
    """No Redis, no worker: the message is kept, and the command does not hang."""
    gateway = gateway_factory(start=False)
    done = agent(gateway, "-m", "hello", "--worker-wait", "0.2")
    assert done.returncode == 1
    assert "start it with make up" in done.stderr
    answer = json.loads(agent(gateway, "-m", "x", "--worker-wait", "0.2", "--json").stdout)
    assert answer["error"]["kind"] == "no_worker"


def test_stopped_gateway_says_how_to_resume(model_gateway: Gateway) -> None:
    """The switch keeps the message waiting; the command tells and ends."""
    model_gateway.manage("pause")
    try:
        done = agent(model_gateway, "-m", "x", "--session-key", "held", "--worker-wait", "0.2")
    finally:
        model_gateway.manage("resume")
    assert done.returncode == 1
    assert "manage.py resume" in done.stderr
