"""What must hold before anything is started; each failure is one clear line."""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import closing
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from openclaw_site.environment import EnvironmentInvalid

_CONNECT_SECONDS = 3.0


def port_check(bind: str, port: int) -> None:
    """Raises EnvironmentInvalid when `bind`:`port` cannot be listened on."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        # As the server does: a port in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((bind, port))
        except OSError as exc:
            raise EnvironmentInvalid(
                f"OPENCLAW_PORT: {bind}:{port} cannot be used ({exc.strerror}); stop the program "
                "that has it or set OPENCLAW_PORT to another port"
            ) from exc


def home_claim(home: Path) -> TextIO:
    """Makes this process the only supervisor of `home`, until the returned file is closed.

    Raises EnvironmentInvalid when another one runs.
    """
    file = (home / "supervisor.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise EnvironmentInvalid(
            f"A gateway already runs on {home} (process {owner}); stop it or set OPENCLAW_HOME"
        ) from exc
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def redis_check(url: str) -> None:
    """Raises EnvironmentInvalid when nothing listens at REDIS_URL; signs in nowhere."""
    parts = urlsplit(url)
    try:
        if parts.scheme == "unix":
            with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
                probe.settimeout(_CONNECT_SECONDS)
                probe.connect(parts.path)
            return
        address = (parts.hostname or "127.0.0.1", parts.port or 6379)
        with closing(socket.create_connection(address, _CONNECT_SECONDS)):
            pass
    except OSError as exc:
        raise EnvironmentInvalid(
            f"REDIS_URL: nothing answers there ({exc.strerror or exc}); start the server or unset "
            "REDIS_URL to use the embedded one"
        ) from exc
