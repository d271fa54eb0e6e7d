"""Runs one command inside a container and stands for it on this machine.

    python -I attach.py <container> <folder> <none|pipe|pty> <mark> <command>

Its input, output and exit code are the command's. When it is asked to end, everything that carries
the mark inside is ended, too. OC_SANDBOX_ENV holds the command's variables as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import termios
import threading
import time
import tty
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.sandbox.inside import command_argv, kill_argv
from tools.sandbox.stream import ExecStream

# How long silence lasts before it is asked whether the command has ended: something that it left
# in the background may hold its output open.
_SILENCE_SECONDS = (0.2, 0.5, 1.0)
_REST_SECONDS = 0.7
_END_SECONDS = 1.8
_READ_BYTES = 64 * 1024


class _Asked(BaseException):
    """Somebody asked this process to end."""


def main(arguments: list[str]) -> int:
    """The command's exit code."""
    container, folder, kind, mark, command = arguments
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _asked)
    variables = json.loads(os.environ.get("OC_SANDBOX_ENV") or "{}")
    api = _api()
    try:
        argv = command_argv(folder, command, kind)
        marked = {**variables, "OC_EXEC": mark}
        stream = ExecStream(api, container, argv, environment=marked, tty=kind == "pty")
        return _attached(stream, kind)
    except _Asked:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end(api, container, mark)
        return 128 + signal.SIGTERM
    except Exception as error:  # noqa: BLE001 - it is the last place where it can be told
        sys.stderr.write(f"The sandbox failed: {error}\n")
        return 1


def _asked(number: int, frame: FrameType | None) -> None:
    raise _Asked


def _api() -> Any:
    import docker

    return docker.from_env(timeout=60).api


def _attached(stream: ExecStream, kind: str) -> int:
    if kind == "pty":
        _adopt_terminal(stream)
    if kind == "none":
        stream.end_input()
    else:
        threading.Thread(target=_feed, args=(stream, kind), daemon=True).start()
    silent = 0
    while True:
        data = stream.read(_SILENCE_SECONDS[min(silent, len(_SILENCE_SECONDS) - 1)])
        if data is None:
            code = stream.ended()
            return 1 if code is None else code
        if data:
            silent = 0
            _write(data)
            continue
        silent += 1
        if (code := stream.code()) is not None:
            _rest(stream)
            return code


def _rest(stream: ExecStream) -> None:
    """What was on its way when the command ended."""
    while data := stream.read(_REST_SECONDS):
        _write(data)


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _feed(stream: ExecStream, kind: str) -> None:
    with suppress(OSError):
        while data := os.read(0, _READ_BYTES):
            if not stream.send(data):
                return
    if kind == "pipe":
        stream.end_input()


def _adopt_terminal(stream: ExecStream) -> None:
    # The terminal inside does what terminals do; this one only passes bytes on.
    with suppress(termios.error):
        # At once: what was typed already must not be thrown away.
        tty.setraw(0, termios.TCSANOW)
    with suppress(OSError):
        size = os.get_terminal_size(0)
        stream.resize(size.lines, size.columns)


def _end(api: Any, container: str, mark: str) -> None:
    """Ends what carries the mark. Detached: it goes on when this process is killed meanwhile."""
    made = api.exec_create(container, kill_argv(mark))
    api.exec_start(made["Id"], detach=True)
    until = time.monotonic() + _END_SECONDS
    while api.exec_inspect(made["Id"]).get("Running") and time.monotonic() < until:
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
