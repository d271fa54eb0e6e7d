"""`manage.py chat`: a conversation at a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from tests.platform.gateway import ROOT, Gateway, wait_for


@contextmanager
def chatting(gateway: Gateway, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command with its input and output in the hands of the test."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "chat", *arguments],
        cwd=ROOT,
        env={**gateway.environment, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """What was written until `words` came."""
    assert process.stdout is not None
    text = ""
    while words not in text:
        piece = process.stdout.read(1)
        assert piece, f"ended before {words!r}: {text!r}"
        text += piece
    return text


def say(process: subprocess.Popen[str], text: str) -> None:
    """Types a line."""
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def test_it_works(model_gateway: Gateway) -> None:
    """Two messages, two answers, and a way out."""
    with chatting(model_gateway) as process:
        assert "agent:main:main" in read_until(process, "> ")
        say(process, "[[echo:one]]")
        assert read_until(process, "> ") == "one\n> "
        say(process, "[[echo:two]]")
        assert read_until(process, "> ") == "two\n> "
        say(process, "/quit")
        assert process.wait(10) == 0


def test_end_of_input_leaves(model_gateway: Gateway) -> None:
    """Ctrl-D is a way out as well."""
    with chatting(model_gateway) as process:
        read_until(process, "> ")
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


def test_interrupt_stops_the_turn_and_stays(model_gateway: Gateway) -> None:
    """Ctrl-C ends the answer; the next message is answered."""
    with chatting(model_gateway, "--session-key", "long-chat") as process:
        read_until(process, "> ")
        say(process, "[[tokens:2000:20]]")
        read_until(process, "tok0")
        process.send_signal(signal.SIGINT)
        read_until(process, "> ")
        say(process, "[[echo:again]]")
        assert read_until(process, "> ") == "again\n> "
        # A signal between the prompt and the read that follows it is only seen at the next key.
        wait_for(lambda: psutil.Process(process.pid).status() == psutil.STATUS_SLEEPING)
        process.send_signal(signal.SIGINT)
        read_until(process, "> ")
        say(process, "/quit")
        assert process.wait(10) == 0


def test_commands_are_answered(model_gateway: Gateway) -> None:
    """What needs no model is answered in place."""
    with chatting(model_gateway) as process:
        read_until(process, "> ")
        say(process, "/help")
        assert "/stop" in read_until(process, "> ")
        say(process, "")
        assert read_until(process, "> ") == "> "


def test_refusal_does_not_end_the_conversation(model_gateway: Gateway) -> None:
    """A message that cannot be taken is explained, and one may go on."""
    with chatting(model_gateway, "--agent", "nobody") as process:
        read_until(process, "> ")
        say(process, "hello")
        read_until(process, "> ")
        say(process, "/quit")
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert "no agent nobody" in process.stderr.read()
