"""The pytest fixture `model_server`.

To offer it to all tests, `tests/conftest.py` names this module:
`pytest_plugins = ["tests.model_server.fixture"]`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

_ROOT = Path(__file__).resolve().parents[2]


@cache
def _http() -> httpx.Client:
    """One client for the process: making one reads all certificates of the machine."""
    return httpx.Client(trust_env=False)


@dataclass(frozen=True)
class ModelServer:
    """A running server. `url` has no path; `openai_url` and `anthropic_url` are base URLs."""

    url: str

    @property
    def openai_url(self) -> str:
        """The base URL for the Chat Completions format."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for the Messages format."""
        return self.url

    def requests(self) -> list[dict[str, Any]]:
        """The requests since the last reset, oldest first: path, headers without secrets, body."""
        found: list[dict[str, Any]] = _http().get(f"{self.url}/__requests").json()
        return found

    def stats(self) -> dict[str, int]:
        """Counters: requests, in_flight, peak_in_flight, chat, messages, status_CODE."""
        found: dict[str, int] = _http().get(f"{self.url}/__stats").json()
        return found

    def config(self, **values: Any) -> None:
        """Sets delay_ms, default or record."""
        _http().post(f"{self.url}/__config", json=values).raise_for_status()

    def reset(self) -> None:
        """Forgets requests and counters."""
        _http().post(f"{self.url}/__reset").raise_for_status()


def _start() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.model_server", "--port", "0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """A scripted model service in its own process on a free port, one for each test process."""
    process = _start()
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        process.kill()
        raise RuntimeError(f"the model server did not start; it said {line!r}")
    try:
        yield ModelServer(line.removeprefix("listening on ").strip())
    finally:
        process.terminate()
        process.wait(timeout=10)
        process.stdout.close()
