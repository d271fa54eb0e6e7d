"""A server on standard input and output: KIND as in offers.py, or `hang`, `exit`, `garbage`."""

from __future__ import annotations

import sys
import time

import anyio


async def serve(kind: str) -> None:
    """Answers until its input ends."""
    from mcp.server.stdio import stdio_server

    from tests.tools.mcp.servers.offers import options, server_make

    server = server_make(kind)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, options(server))


if __name__ == "__main__":
    wanted = sys.argv[1]
    if wanted == "exit":
        sys.stderr.write("cannot find its licence\n")
        sys.exit(2)
    if wanted == "garbage":
        sys.stdout.write("this is no protocol\n" * 10)
        sys.stdout.flush()
    if wanted in ("hang", "garbage"):
        while True:
            time.sleep(3600)
    anyio.run(serve, wanted)
