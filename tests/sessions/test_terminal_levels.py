"""Thinking, reasoning, results of tools and the trace at a terminal."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.model_server.fixture import ModelServer
from tests.platform.gateway import ROOT, Gateway


def agent(gateway: Gateway, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "agent", "-m", text, *arguments],
        cwd=ROOT,
        env=gateway.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def last_request(server: ModelServer) -> dict[str, object]:
    body: dict[str, object] = server.requests()[-1]["body"]
    return body


def test_it_works(thinking_gateway: Gateway, model_server: ModelServer) -> None:
    """--thinking and --model hold for this message."""
    done = agent(thinking_gateway, "[[echo:hi]]", "--thinking", "high")
    assert (done.returncode, done.stdout) == (0, "hi\n"), done.stderr
    assert last_request(model_server)["reasoning_effort"] == "high"
    agent(thinking_gateway, "[[echo:hi]]", "--model", "openai/plain")
    assert last_request(model_server)["model"] == "plain"
    agent(thinking_gateway, "[[echo:hi]]")
    assert "reasoning_effort" not in last_request(model_server)


@pytest.mark.exhaustive
def test_an_unknown_level_is_refused(thinking_gateway: Gateway) -> None:
    done = agent(thinking_gateway, "hi", "--thinking", "much")
    assert done.returncode == 1
    assert "thinkingLevel much is unknown; use one of: off, minimal" in done.stderr


@pytest.mark.exhaustive
def test_what_is_shown_beside_the_answer(thinking_gateway: Gateway) -> None:
    key = ("--session-key", "levels")
    reply = agent(thinking_gateway, "/reasoning stream /verbose on /trace on", *key)
    assert "Reasoning is now stream." in reply.stdout
    call = '[[think:a plan]] [[tool:exec {"command": "echo out"}]] [[final:<think>b</think>done]]'
    done = agent(thinking_gateway, call, *key)
    assert done.stdout == "done\n"
    lines = done.stderr.splitlines()
    assert lines[0] == "[thinking: a plan]"
    assert lines[1] == "[exec echo out]"
    assert "out" in lines[2]
    assert lines.count("[thinking: b]") == 1
    assert re.fullmatch(r"\[run \w+ · openai/scripted · env:openai · .* s\]", lines[-1])


@pytest.mark.exhaustive
def test_reasoning_with_the_finished_answer(thinking_gateway: Gateway) -> None:
    key = ("--session-key", "finished")
    agent(thinking_gateway, "/reasoning on", *key)
    done = agent(thinking_gateway, "[[think:a plan]] [[echo:hi]]", *key)
    assert (done.stdout, done.stderr) == ("hi\n", "[thinking: a plan]\n")
