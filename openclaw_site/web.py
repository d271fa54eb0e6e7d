"""`python -m openclaw_site.web`: daphne with a shutdown that keeps its callers' manners.

On SIGTERM it stops listening, closes every WebSocket with 1012 (service restart), lets running
requests end, and only then stops the reactor: daphne itself cancels its applications at once and
fails on connections whose application is already gone.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from io import StringIO
from typing import Any

# Twisted's reactor is chosen by this import, so it comes before everything that might use it.
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol

from agents.draining import drain_begin
from openclaw_site.environment import env_flag
from openclaw_site.readiness import ready_tell

# The size of a frame that the gateway's handshake advertises, in bytes.
MAX_PAYLOAD = 8 * 1024 * 1024
SERVICE_RESTART = 1012
# Seconds for sockets to say goodbye and for running requests to end.
DRAIN_SECONDS = 8.0
_POLL_SECONDS = 0.02


class DrainingServer(Server):  # type: ignore[misc]
    """daphne's server with an orderly end."""

    def drain_start(self) -> None:
        """Begins to stop; a second call changes nothing."""
        if not self.is_draining:
            self.is_draining = True
            self._drain_task = asyncio.ensure_future(self._drain())

    is_draining = False

    async def _drain(self) -> None:
        drain_begin()
        for listener in self.listeners:
            listener.addCallback(lambda port: port.stopListening())
        for protocol in list(self.connections):
            # daphne's own close refuses every code between 1000 and 3000.
            if isinstance(protocol, WebSocketProtocol) and protocol.state == protocol.STATE_OPEN:
                protocol.sendCloseFrame(code=SERVICE_RESTART, reasonUtf8=b"service restart")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DRAIN_SECONDS
        while self._applications() and loop.time() < deadline:  # noqa: ASYNC110 - as daphne does
            await asyncio.sleep(_POLL_SECONDS)
        self.stop()

    def _applications(self) -> list[Any]:
        found = (details.get("application_instance") for details in self.connections.values())
        return [application for application in found if application and not application.done()]

    def kill_all_applications(self) -> Any:
        """Cancels what still runs; unlike daphne's it knows connections without application."""
        for application in self._applications():
            application.cancel()


def endpoint_make(bind: str, port: int) -> str:
    """Twisted's description of the listening address."""
    host = bind.replace(":", r"\:")
    return f"tcp:port={port}:interface={host}"


def main() -> int:
    """Serves until SIGTERM or SIGINT."""
    from django.urls import get_resolver

    from openclaw_site.asgi import application  # sets Django up
    from openclaw_site.settings import OPENCLAW
    from sessions.hook_posts import gateway_started, gateway_stops

    # A broken address table ends the start, not every request; the first page is served quicker.
    _ = get_resolver().url_patterns
    _plugins_load()
    note = _signin_link() if env_flag("OPENCLAW_SIGNIN_LINK") else ""
    server: DrainingServer = DrainingServer(
        application=application,
        endpoints=[endpoint_make(OPENCLAW.bind, OPENCLAW.port)],
        signal_handlers=False,
        websocket_max_message_size=MAX_PAYLOAD,
        websocket_max_frame_size=MAX_PAYLOAD,
        websocket_timeout=-1,
        server_name="",
        ready_callable=lambda: _on_start(server, note),
    )
    gateway_started("web")
    server.run()
    gateway_stops("web")
    return 0


def _plugins_load() -> None:
    # Reads settings, so it can be imported only once Django is set up.
    from agents.plugins.loader import plugins_load

    plugins_load()


def _signin_link() -> str:
    """The link for the first owner, "" when an owner has signed in before.

    Made here because this process has the models loaded: one more would cost a second of start.
    """
    from django.core.management import call_command

    output = StringIO()
    call_command("signin_link", "--if-no-owner-session", stdout=output)
    return output.getvalue().strip()


def _on_start(server: DrainingServer, note: str) -> None:
    loop = asyncio.get_event_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.drain_start)
    # What was loaded lives as long as the process: the collector need not walk it again.
    gc.collect()
    gc.freeze()
    loop.call_soon(ready_tell, note)


if __name__ == "__main__":
    sys.exit(main())
