"""The one bridge from asynchronous code to the database.

Django's ORM is synchronous; `run_db` runs it on a small pool of threads of its own, so that the
message path never queues behind views. SQLite has one writer, hence one thread a process;
Postgres gets four. Write transactions are opened by `write_transaction`.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from typing import Literal, ParamSpec, TypeVar

from django.db import DataError, connection, transaction
from django.utils.translation import gettext as _

from agents.core.errors import UserError

P = ParamSpec("P")
R = TypeVar("R")

DatabaseKind = Literal["sqlite", "postgresql"]
_THREADS: dict[DatabaseKind, int] = {"sqlite": 1, "postgresql": 4}
# Seconds that closing waits for jobs that still run.
_CLOSE_TIMEOUT = 10.0


def database_kind() -> DatabaseKind:
    """Which engine the default database is."""
    return "sqlite" if connection.vendor == "sqlite" else "postgresql"


def write_transaction(*, durable: bool = False) -> transaction.Atomic:
    """A context for everything that must be stored together or not at all.

    On SQLite the write lock is held from its begin to its end, so nothing slow (network, files,
    publishing) may happen inside. `durable` refuses to be nested in another transaction.
    """
    return transaction.atomic(durable=durable)


def data_fault(error: Exception) -> UserError | None:
    """The caller's mistake behind a value that the database refused, None for other errors.

    PostgreSQL stores no NUL characters, and nothing longer or larger than its column.
    """
    if not isinstance(error, DataError):
        return None
    return UserError(
        _("A value cannot be stored: it has a NUL character, or is too long or too large.")
    )


async def run_db(fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs `fn` on the database threads and returns what it returns, or raises what it raises.

    The caller's context variables are seen by `fn`. When the caller is cancelled, a job that has
    begun is still finished.
    """
    job: Callable[[], R] = partial(_job, partial(fn, *args, **kwargs))
    call = partial(copy_context().run, job)
    return await asyncio.get_running_loop().run_in_executor(_pool(), call)


def database_pool_close() -> None:
    """Closes the connections of the pool's threads, for the end of a test or of a process."""
    if _pool.cache_info().currsize == 0:
        return
    pool, threads = _pool(), _THREADS[database_kind()]
    barrier = threading.Barrier(threads)

    def close() -> None:
        barrier.wait(_CLOSE_TIMEOUT)
        connection.close()

    for job in [pool.submit(close) for _thread in range(threads)]:
        job.result(_CLOSE_TIMEOUT)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS[database_kind()], thread_name_prefix="database")


def _job(fn: Callable[[], R]) -> R:
    # These threads keep their connection whatever CONN_MAX_AGE says for views; the check
    # queries nothing unless the last job met a database error.
    connection.close_at = None
    connection.close_if_unusable_or_obsolete()
    return fn()


# Threads do not survive a fork.
os.register_at_fork(after_in_child=_pool.cache_clear)
