"""Observing hooks for callers that are not coroutines and must not wait."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import Future
from functools import lru_cache

from agents.hooks.calls import hook_observe
from agents.hooks.context import HookContext
from agents.hooks.registry import Event


def hook_post(name: str, event: Event, ctx: HookContext) -> Future[None]:
    """Calls an observing hook on a loop of its own and returns at once, from any thread.

    The future is done when every handler has ended or is out of time; nobody needs to wait for
    it. The context's recorder is called on the loop's thread.
    """
    return asyncio.run_coroutine_threadsafe(hook_observe(name, event, ctx), _loop())


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hook-posts", daemon=True).start()
    return loop


# Threads do not survive a fork.
os.register_at_fork(after_in_child=_loop.cache_clear)
