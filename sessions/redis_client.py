"""One Redis client per process (for threads) and per event loop (for coroutines)."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

# A dead Redis must not hold a turn: callers of emit and wake go on without it.
_TIMEOUT = 5.0
# Once is for a connection that Redis closed meanwhile; the library's own way waits for seconds.
_RETRIES = 1
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, redis.asyncio.Redis] = WeakKeyDictionary()


@lru_cache(maxsize=1)
def redis_sync() -> redis.Redis:
    """The client for threads. Safe to share between them."""
    return redis.Redis.from_url(
        settings.OPENCLAW.redis_url,
        socket_timeout=_TIMEOUT,
        socket_connect_timeout=_TIMEOUT,
        retry=Retry(NoBackoff(), _RETRIES),
    )


def redis_async() -> redis.asyncio.Redis:
    """The client of the running event loop."""
    loop = asyncio.get_running_loop()
    client = _clients.get(loop)
    if client is None:
        client = redis.asyncio.Redis.from_url(
            settings.OPENCLAW.redis_url,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            retry=AsyncRetry(NoBackoff(), _RETRIES),
        )
        _clients[loop] = client
    return client
