"""The live record of one session, read by a thread: for doors at a terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

import orjson
import redis
from redis.client import PubSub

from sessions.live import CHANNEL, CONTROL
from sessions.redis_client import redis_sync


class LiveReader:
    """Hears the records of a session from the moment it is entered. Never raises for Redis.

    While Redis is away it hears nothing; the caller asks the database as well.
    """

    def __init__(self) -> None:
        self.session_id = ""
        self._subscription: PubSub | None = None

    def __enter__(self) -> LiveReader:
        self._subscribe()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def next(self, *, seconds: float) -> dict[str, Any] | None:
        """The next record of `session_id`, or None when none came within `seconds`."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            record = self._parsed(self._message(left))
            if record is not None:
                return record
        return None

    def _message(self, seconds: float) -> Any:
        subscription = self._subscription or self._subscribe()
        if subscription is None:
            time.sleep(seconds)
            return None
        try:
            return subscription.get_message(ignore_subscribe_messages=True, timeout=seconds)
        except (redis.RedisError, OSError):
            self._close()
            return None

    def _parsed(self, message: Any) -> dict[str, Any] | None:
        if message is None:
            return None
        session_id, _position, body = message["data"].split(b" ", 2)
        if session_id != self.session_id.encode():
            return None
        record: dict[str, Any] = orjson.loads(body)
        return record

    def _subscribe(self) -> PubSub | None:
        subscription: PubSub = redis_sync().pubsub()  # type: ignore[no-untyped-call]
        try:
            subscription.subscribe(CHANNEL)
        except (redis.RedisError, OSError):
            subscription.close()
            return None
        self._subscription = subscription
        return subscription

    def _close(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None


def workers_count() -> int:
    """How many workers listen now; 0 as well when Redis is away."""
    try:
        # Every worker listens on the control channel, and nobody else does.
        return int(redis_sync().pubsub_numsub(CONTROL)[0][1])
    except (redis.RedisError, OSError):
        return 0
