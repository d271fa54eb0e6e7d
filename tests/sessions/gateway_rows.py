"""The database of a gateway that runs as processes of its own, read from the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import DEFAULT_DB_ALIAS, connections

from openclaw_site.databases import database_entry
from tests.platform.gateway import Gateway

T = TypeVar("T")


class GatewayRows:
    """Reads rows through the database alias `alias`."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    async def read(self, query: Callable[[str], T]) -> T:
        """What `query` returns; it is given the alias for `using`, and runs on a thread."""

        def work() -> T:
            try:
                return query(self.alias)
            finally:
                connections[self.alias].close()

        return await asyncio.to_thread(work)


@contextmanager
def gateway_rows(gateway: Gateway) -> Iterator[GatewayRows]:
    """A reader of the gateway's rows."""
    alias = f"gateway-{gateway.port}"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DATABASE_URL", gateway.variables.get("DATABASE_URL", ""))
        entry = database_entry(gateway.home)
    known = connections.configure_settings({DEFAULT_DB_ALIAS: {}, alias: entry})
    connections.settings[alias] = known[alias]
    try:
        yield GatewayRows(alias)
    finally:
        del connections.settings[alias]
