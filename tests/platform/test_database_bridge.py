"""Asynchronous code reaches the database through its own threads."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, connection

from agents.database import database_kind, database_pool_close, run_db, write_transaction

pytestmark = pytest.mark.django_db(transaction=True)


async def test_it_works() -> None:
    """The result comes back, and the caller's thread is not the one that works."""
    group = await run_db(Group.objects.create, name="one")
    assert await run_db(lambda: Group.objects.get(pk=group.pk).name) == "one"
    assert await run_db(threading.get_ident) != threading.get_ident()


async def test_errors_come_back() -> None:
    """What the function raises is raised at the caller."""
    with pytest.raises(Group.DoesNotExist):
        await run_db(Group.objects.get, name="nobody")


async def test_connection_is_kept_between_jobs() -> None:
    """On SQLite there is one thread; its connection survives CONN_MAX_AGE 0."""
    first = await run_db(_connection_of)
    assert await run_db(_connection_of) is first or database_kind() == "postgresql"


def _connection_of() -> object:
    connection.ensure_connection()
    return connection.connection


async def test_failed_statement_does_not_poison_the_thread() -> None:
    """After a database error the next job works."""
    with pytest.raises(DatabaseError):
        await run_db(_bad_statement)
    assert await run_db(Group.objects.count) == 0


def _bad_statement() -> None:
    with write_transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT nothing FROM nowhere")


async def test_context_variables_are_seen() -> None:
    """Language and log context travel along."""
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    variable.set("mine")
    assert await run_db(variable.get) == "mine"


async def test_begun_job_is_finished_though_the_caller_is_gone() -> None:
    """A cancelled caller leaves no half-written transaction."""
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with write_transaction():
            begun.set()
            go_on.wait(10)
            Group.objects.create(name="finished")

    task = asyncio.create_task(run_db(work))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    go_on.set()
    await asyncio.to_thread(database_pool_close)
    assert await run_db(Group.objects.filter(name="finished").exists)
