"""A private Redis-compatible server for one test process."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from redis import Redis, RedisError

from openclaw_site.supervisor.redis_server import binary_find, command_make

_START_SECONDS = 10.0


@dataclass
class RedisServer:
    """A server on a Unix socket. `url` is for redis-py."""

    socket_path: Path
    folder: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """The address for `Redis.from_url`."""
        return f"unix://{self.socket_path}"

    def client(self) -> Redis:
        """A new blocking client; the caller closes it."""
        return Redis.from_url(self.url)

    def start(self) -> None:
        """Starts the server and returns when it answers."""
        command = command_make(binary_find(), self.socket_path, self.folder)
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            try:
                with self.client() as client:
                    client.ping()
            except RedisError:
                time.sleep(0.01)
            else:
                return
        raise RuntimeError("the Redis server did not start")

    def stop(self, *, kill: bool = False) -> None:
        """Ends the server; with `kill` as a crash would."""
        if self._process is not None:
            self._process.kill() if kill else self._process.terminate()
            self._process.wait(timeout=10)
            self._process = None

    def flush(self) -> None:
        """Forgets everything."""
        with self.client() as client:
            client.flushall()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server that `settings.OPENCLAW.redis_url` names; see `clean_redis` for an empty one."""
    from openclaw_site.settings import OPENCLAW

    folder = OPENCLAW.home / "redis"
    folder.mkdir(exist_ok=True)
    server = RedisServer(Path(OPENCLAW.redis_url.removeprefix("unix://")), folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def clean_redis(redis_server: RedisServer) -> RedisServer:
    """The session's server, emptied."""
    redis_server.flush()
    return redis_server
