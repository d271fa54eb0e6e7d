"""The processes of a gateway on one machine and how each is started."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from openclaw_site.gateway_settings import GatewaySettings
from openclaw_site.supervisor.child import ChildSpec
from openclaw_site.supervisor.console import Console
from openclaw_site.supervisor.redis_server import (
    binary_find,
    command_make,
    data_set_aside,
    server_answers,
)

WEB_STOP_SECONDS = 15.0
WORKER_STOP_SECONDS = 25.0
REDIS_STOP_SECONDS = 10.0
# Starts of the embedded server that may fail before its data is taken for unreadable.
_REDIS_PATIENCE = 2
# Advice about a kernel setting that a small private server can do without; its goodbye.
_REDIS_NOISE = ("overcommit", "bye bye", "scheduling shutdown")
WORKER_COMMAND = [
    *("-m", "celery", "-q", "-A", "openclaw_site.celery", "worker", "-P", "threads", "-c", "8"),
    *("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"),
]
# glibc gives every thread a heap of its own; two are enough and save tens of megabytes.
_LEAN = {"MALLOC_ARENA_MAX": "2", "PYTHONUNBUFFERED": "1"}


def redis_answers(settings: GatewaySettings) -> Callable[[], Awaitable[bool]]:
    """A probe of the embedded server."""
    return partial(server_answers, Path(settings.redis_url.removeprefix("unix://")))


def redis_spec(settings: GatewaySettings, console: Console) -> ChildSpec:
    """The embedded server. Data it cannot load is moved aside: rows are the truth."""
    socket_path = Path(settings.redis_url.removeprefix("unix://"))
    folder = settings.home / "redis"
    folder.mkdir(mode=0o700, exist_ok=True)

    def before_retry(failures: int) -> None:
        if failures == _REDIS_PATIENCE:
            console.line("redis", f"starts empty; its old data is in {data_set_aside(folder)}")

    return ChildSpec(
        name="redis",
        command=command_make(binary_find(), socket_path, folder),
        stop_seconds=REDIS_STOP_SECONDS,
        probe=redis_answers(settings),
        before_retry=before_retry,
        noise=_REDIS_NOISE,
    )


def web_spec() -> ChildSpec:
    """daphne with our shutdown around it; the first start asks for the owner's sign-in link."""
    first = iter([{"OPENCLAW_SIGNIN_LINK": "1"}])
    return ChildSpec(
        name="web",
        command=[sys.executable, "-m", "openclaw_site.web"],
        stop_seconds=WEB_STOP_SECONDS,
        variables=lambda: {**_LEAN, **next(first, {})},
    )


def worker_spec(settings: GatewaySettings) -> ChildSpec:
    """One Celery worker with the scheduler of the platform's ticks inside."""
    return ChildSpec(
        name="worker",
        command=[sys.executable, *WORKER_COMMAND],
        stop_seconds=WORKER_STOP_SECONDS,
        variables=_worker_variables(settings.home),
    )


def _worker_variables(home: Path) -> Callable[[], Mapping[str, str]]:
    """Every start gets a new worker id and is told the last one, whose lanes are free now."""
    last = home / "worker.id"

    def variables() -> Mapping[str, str]:
        dead = last.read_text(encoding="utf-8") if last.is_file() else ""
        own = f"w{secrets.token_hex(6)}"
        last.write_text(own, encoding="utf-8")
        return {
            **_LEAN,
            "OPENCLAW_EMBEDDED_BEAT": "1",
            # `make lint` runs the checks; here they would cost 0.1 s of every start.
            "CELERY_SKIP_CHECKS": "1",
            "OPENCLAW_WORKER_ID": own,
            "OPENCLAW_DEAD_WORKER_ID": dead,
        }

    return variables
