"""From the command line to a running stack: checks first, then processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys

from openclaw_site.databases import database_entry
from openclaw_site.environment import EnvironmentInvalid
from openclaw_site.gateway_settings import GatewaySettings, gateway_settings_load
from openclaw_site.supervisor.console import Console
from openclaw_site.supervisor.preflight import home_claim, port_check, redis_check
from openclaw_site.supervisor.redis_server import binary_find
from openclaw_site.supervisor.stack import Stack

# Every waiting turn holds a connection; the usual soft limit is 1,024.
_OPEN_FILES = 65536


def main() -> int:
    """Runs the gateway until it is told to stop; the process's exit code."""
    try:
        settings = _prepare()
        with contextlib.closing(home_claim(settings.home)):
            port_check(settings.bind, settings.port)
            return _run(settings)
    except EnvironmentInvalid as error:
        sys.stderr.write(f"{error.message}\n")
        return 1


def _prepare() -> GatewaySettings:
    settings = gateway_settings_load()
    database_entry(settings.home)
    if settings.redis_embedded:
        binary_find()
    else:
        redis_check(settings.redis_url)
    # Children resolve a relative folder from another working directory.
    os.environ["OPENCLAW_HOME"] = str(settings.home)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return settings


def _run(settings: GatewaySettings) -> int:
    with contextlib.closing(Console(settings.home / "logs")) as console:
        return asyncio.run(_run_stack(settings, console))


async def _run_stack(settings: GatewaySettings, console: Console) -> int:
    return await Stack(settings, console).run()
