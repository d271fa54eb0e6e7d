"""The gateway's processes as a whole: started in order, drained in the opposite one."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable

from openclaw_site.gateway_settings import GatewaySettings
from openclaw_site.supervisor.child import Child
from openclaw_site.supervisor.commands import migrate_if_needed
from openclaw_site.supervisor.console import Console
from openclaw_site.supervisor.processes import redis_answers, redis_spec, web_spec, worker_spec

# A process that failed so often before it was ready once will not become ready.
EARLY_FAILURES = 3
_POLL_SECONDS = 0.02
_HOUSEKEEPING_SECONDS = 60.0
# The process id that children ask for a restart, by SIGUSR1.
SUPERVISOR = "OPENCLAW_SUPERVISOR_PID"
# How long the server of a supervisor that was killed may take to notice and end.
_OLD_SERVER_SECONDS = 10.0


class Stack:
    """Runs everything until a signal comes; `run` returns the exit code."""

    def __init__(self, settings: GatewaySettings, console: Console) -> None:
        self._settings = settings
        self._console = console
        self._stopping = asyncio.Event()
        self._children: list[tuple[Child, asyncio.Task[None]]] = []
        self._restarts: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        """0 after a clean stop, 1 when the start failed."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal)
        # A closed terminal stops the gateway, unless nohup was told to prevent that.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, self._on_signal)
        loop.add_signal_handler(signal.SIGUSR1, self._on_restart)
        # Children may ask for a restart.
        os.environ[SUPERVISOR] = str(os.getpid())
        stopped = asyncio.create_task(self._stopping.wait())
        starting = asyncio.create_task(self._start())
        await asyncio.wait([starting, stopped], return_when=asyncio.FIRST_COMPLETED)
        failed = starting.done() and not starting.result()
        while not failed and not stopped.done():
            self._console.files_rotate()
            await asyncio.wait([stopped], timeout=_HOUSEKEEPING_SECONDS)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        self._stopping.set()
        stopped.cancel()
        await self._drain()
        return 1 if failed else 0

    async def _start(self) -> bool:
        if self._settings.redis_embedded and not await self._start_redis():
            return False
        if not await migrate_if_needed(self._settings.home, self._console):
            self._say("the database could not be prepared; see the lines above")
            return False
        web, worker = self._launch_python()
        if not await self._ready_wait([web, worker]):
            return False
        address = f"ready at {self._settings.address}/"
        offer = f"  sign in once, within 15 minutes: {web.note}" if web.note else ""
        self._say(address + offer)
        return True

    def _launch_python(self) -> tuple[Child, Child]:
        # The worker is stopped after the web process and so stands before it.
        worker = self._launch(Child(worker_spec(self._settings), self._console))
        return self._launch(Child(web_spec(), self._console)), worker

    async def _start_redis(self) -> bool:
        answers = redis_answers(self._settings)
        for _ in range(int(_OLD_SERVER_SECONDS / _POLL_SECONDS)):
            if not await answers():
                break
            await asyncio.sleep(_POLL_SECONDS)
        else:
            self._say(f"another server still answers at {self._settings.redis_url}; stop it")
            return False
        spec = redis_spec(self._settings, self._console)
        return await self._ready_wait([self._launch(Child(spec, self._console))])

    def _launch(self, child: Child) -> Child:
        self._children.append((child, asyncio.create_task(child.run())))
        return child

    async def _ready_wait(self, children: Iterable[Child]) -> bool:
        for child in children:
            while not child.ready.is_set():
                if child.early_failures >= EARLY_FAILURES:
                    self._say(f"{child.spec.name} does not start; see its lines above")
                    return False
                await asyncio.sleep(_POLL_SECONDS)
        return True

    def _on_signal(self) -> None:
        if self._stopping.is_set():
            self._say("killing all processes")
            for child, _ in self._children:
                child.kill()
            return
        self._say("stopping; press Ctrl-C again to kill")
        self._stopping.set()

    def _on_restart(self) -> None:
        """Restarts all but Redis: what holds no state of its own."""
        if self._stopping.is_set():
            return
        self._say("restarting")
        for child, _ in self._children:
            if child.spec.name != "redis":
                task = asyncio.create_task(child.restart())
                self._restarts.add(task)
                task.add_done_callback(self._restarts.discard)

    async def _drain(self) -> None:
        for child, task in reversed(self._children):
            await child.stop()
            await task
        self._say("stopped")

    def _say(self, text: str) -> None:
        self._console.line("gateway", text)
