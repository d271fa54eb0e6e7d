"""The bridge between Celery's threads and the event loop on which turns run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import threading

import structlog

from agents.ids import new_id
from agents.plugins.loader import plugins_load
from sessions.engine import Engine
from sessions.hook_posts import gateway_started, gateway_stops
from tools.mcp.sync import mcp_begin, mcp_end

log = structlog.get_logger(__name__)

# One descriptor a model connection; the usual soft limit of 1,024 would cap waiting turns.
_WANTED_FILES = 65_536


class WorkerLoop:
    """One event loop in a thread of its own, with the engine on it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.engine = Engine(worker_identity())
        self._thread = threading.Thread(target=self._run, name="turns", daemon=True)

    def start(self) -> None:
        """Starts the loop and the engine; returns when the engine is ready."""
        _raise_file_limit()
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.engine.start(), self.loop).result(30)

    def submit(self, session_id: str) -> None:
        """Hands a session to the engine, from any thread."""
        self.loop.call_soon_threadsafe(self.engine.submit, session_id)

    def stop(self) -> None:
        """Drains the engine and ends the loop; returns when both are through."""
        asyncio.run_coroutine_threadsafe(self.engine.drain(), self.loop).result(30)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


_worker: WorkerLoop | None = None
_lock = threading.Lock()


def worker_start() -> WorkerLoop:
    """The process's worker loop, started on first use."""
    global _worker
    with _lock:
        if _worker is None:
            plugins_load()
            mcp_begin()
            gateway_started("worker")
            _worker = WorkerLoop()
            _worker.start()
            log.info("worker.ready", worker=_worker.engine.worker_id)
        return _worker


def worker_submit(session_id: str) -> None:
    """Hands a session to this process's engine."""
    worker_start().submit(session_id)


def worker_stop() -> None:
    """Drains this process's engine, if it was started."""
    if _worker is not None:
        with contextlib.suppress(TimeoutError):
            _worker.stop()
        mcp_end()
        gateway_stops("worker")


def worker_identity() -> str:
    """The id the supervisor gave this start, or one of our own that no other process has."""
    return os.environ.get("OPENCLAW_WORKER_ID") or f"{socket.gethostname()}-{new_id()}"


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
