"""Whether the parts that a turn needs are there, as the panel shows it."""

from __future__ import annotations

from dataclasses import dataclass

import redis
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from sessions.live import CHANNEL, CONTROL
from sessions.redis_client import redis_sync


@dataclass(frozen=True, slots=True)
class Part:
    """One part and how it is. `kind` picks the dot: ok, warn or bad."""

    name: str
    kind: str
    word: str


def health_parts() -> list[Part]:
    """Database, Redis and workers."""
    return [_database(), *_redis_and_workers()]


def _database() -> Part:
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(connection.vendor, "SQL")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Part(_("Database"), "bad", _("does not answer"))
    return Part(_("Database"), "ok", name)


def _redis_and_workers() -> list[Part]:
    try:
        # Every worker listens on the control channel; web processes listen on both.
        listening = dict(redis_sync().pubsub_numsub(CONTROL, CHANNEL))
        workers = listening[CONTROL.encode()] - listening[CHANNEL.encode()]
    except (redis.RedisError, OSError):
        return [
            Part(_("Redis"), "bad", _("does not answer")),
            Part(_("Workers"), "warn", _("unknown while Redis is away")),
        ]
    found = Part(_("Redis"), "ok", _("answers"))
    if workers <= 0:
        return [found, Part(_("Workers"), "bad", _("none; messages wait"))]
    return [found, Part(_("Workers"), "ok", _("%(n)s ready") % {"n": workers})]
