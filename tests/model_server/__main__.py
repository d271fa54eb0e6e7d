"""`python -m tests.model_server --port N`: serves until it is stopped.

Port 0 takes a free one. The first line of output is `listening on http://HOST:PORT`.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from aiohttp import web

from tests.model_server.server import ScriptedModel


async def serve(options: argparse.Namespace) -> None:
    """Runs the server until SIGINT or SIGTERM."""
    model = ScriptedModel(
        default=options.default, delay=options.delay_ms / 1000, record=options.record
    )
    # A client that goes away ends its handler, so that in_flight tells the truth.
    runner = web.AppRunner(model.application(), access_log=None, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, options.host, options.port, shutdown_timeout=0.1)
    await site.start()
    port = runner.addresses[0][1]
    sys.stdout.write(f"listening on http://{options.host}:{port}\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> None:
    """Reads the command line and serves."""
    parser = argparse.ArgumentParser(description="A scripted model service for tests.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=18080)
    parser.add_argument("--default", default="ok", help="the answer without a directive")
    parser.add_argument("--delay-ms", type=float, default=0, help="wait before every answer")
    parser.add_argument("--record", type=int, default=200, help="requests kept for /__requests")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
