"""A whole gateway as a person starts it: the supervisor and its children, on a free port."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from tests.platform.environment import clean_environment

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
_STOP_SECONDS = 45.0
_READY = re.compile(r"^gateway\| ready at (\S+?)/(?:\s+sign in.*?: (\S+))?$")
# How a child is known by its command line.
_CHILD_MARKS = {"web": "openclaw_site.web", "worker": "celery", "redis": "valkey-server"}


class GatewayFailed(Exception):
    """The gateway did not start; the text is its output."""


def wait_for(check: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Polls until `check()` is true. Raises AssertionError when it never was."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"not so within {seconds} s: {check}"
        time.sleep(0.02)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that was free a moment ago."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Gateway:
    """A running gateway. `url` and `ws_url` have no slash at the end.

    `sign_in_link` is what the ready line offers, "" when it offers none. `command` starts it in
    `folder`.
    """

    home: Path
    port: int
    variables: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list, repr=False)
    sign_in_link: str = ""
    process: subprocess.Popen[str] | None = field(default=None, repr=False)
    command: tuple[str, ...] = (sys.executable, "-m", "openclaw_site.supervisor")
    folder: Path = ROOT

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws_url(self) -> str:
        """The address of the control WebSocket."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        """The shared token of WebSocket and HTTP."""
        given = self.variables.get("OPENCLAW_GATEWAY_TOKEN")
        return given or (self.home / "gateway.token").read_text().strip()

    @property
    def environment(self) -> dict[str, str]:
        """What the gateway's processes see; for other commands on the same home too."""
        own = {"OPENCLAW_HOME": str(self.home), "OPENCLAW_PORT": str(self.port)}
        return {**clean_environment(), **own, **self.variables}

    def start(self) -> Gateway:
        """Starts the supervisor and returns when it says that all is ready."""
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env=self.environment,
        )
        first = len(self.lines)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        deadline = time.monotonic() + START_SECONDS
        while (ready := self._ready_line(first)) is None:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise GatewayFailed("\n".join(self.lines[first:]))
            time.sleep(0.01)
        self.sign_in_link = ready.group(2) or ""
        return self

    def _ready_line(self, first: int) -> re.Match[str] | None:
        return next(filter(None, map(_READY.match, self.lines[first:])), None)

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))

    def stop(self) -> int:
        """Ctrl-C; returns the exit code when everything has ended."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """kill -9 of the supervisor and everything below it."""
        if self.process is None or self.process.poll() is not None:
            return
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        for child in family:
            if child.is_running():
                child.kill()
        psutil.wait_procs(family, timeout=10)
        self.process.wait(10)

    def restart(self) -> Gateway:
        """Stops and starts on the same home."""
        self.stop()
        return self.start()

    def pid_of(self, name: str) -> int | None:
        """The process id of `web`, `worker` or `redis` now, None while it does not run."""
        assert self.process is not None
        for child in psutil.Process(self.process.pid).children():
            try:
                if any(_CHILD_MARKS[name] in part for part in child.cmdline()):
                    return child.pid
            except psutil.Error:
                continue
        return None

    def kill_child(self, name: str) -> int:
        """kill -9 of one child; returns the process id that it had. It is started again."""
        pid = self.pid_of(name)
        assert pid is not None, f"{name} does not run"
        os.kill(pid, signal.SIGKILL)
        return pid

    def kill_worker(self) -> int:
        """kill -9 of the worker."""
        return self.kill_child("worker")

    def wait_ready(self) -> None:
        """Returns when the web process says that messages can be accepted."""
        wait_for(self._is_ready)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def manage(self, *arguments: str) -> str:
        """The output of a management command on this gateway's home."""
        done = self.manage_any(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def manage_any(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A management command on this gateway's home, whatever its exit code."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
