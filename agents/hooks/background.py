"""Hooks for callers that are not coroutines and must not wait."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import lru_cache
from typing import Any


def hook_post(work: Coroutine[Any, Any, None]) -> Future[None]:
    """Runs `work` on a loop of its own and returns at once, from any thread.

    Nobody needs to wait for the future; what `work` raises is kept in it.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop())


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hook-posts", daemon=True).start()
    return loop


# Threads do not survive a fork.
os.register_at_fork(after_in_child=_loop.cache_clear)
