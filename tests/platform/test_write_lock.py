"""Writers of one SQLite file queue up, across connections, threads and processes."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, connection, transaction
from django.db.utils import OperationalError

from agents.database import write_transaction
from openclaw_site.db.sqlite3.base import DatabaseWrapper
from openclaw_site.db.sqlite3.write_lock import WriteLock, write_lock_of
from tests.platform.lock_writer import rows_write

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]


def _is_held() -> bool:
    """Whether somebody holds the lock of the test database, seen from outside."""
    lock = WriteLock(Path(connection.settings_dict["NAME"]).with_suffix(".lock"))
    seen: list[bool] = []

    def take() -> None:
        lock.acquire(1)
        seen.append(True)
        lock.release()

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join(0.2)
    return not seen


def test_it_works() -> None:
    """A transaction holds the lock until it ends."""
    with write_transaction():
        Group.objects.create(name="one")
        assert _is_held()
    assert not _is_held()


@pytest.mark.parametrize("error", [ValueError, DatabaseError])
def test_failed_transaction_gives_the_lock_back(error: type[Exception]) -> None:
    """Rolled back, by our error as by the database's."""
    with pytest.raises(error), write_transaction():
        raise error
    assert not _is_held()


def test_nested_transaction_keeps_the_lock_to_the_outer_end() -> None:
    """A savepoint's end is not the end."""
    with write_transaction():
        with transaction.atomic():
            Group.objects.create(name="inner")
        assert _is_held()
    assert not _is_held()


def test_single_statements_give_the_lock_back() -> None:
    """Insert (with RETURNING), update, delete and bulk writes outside a transaction."""
    group = Group.objects.create(name="single")
    assert not _is_held()
    Group.objects.filter(pk=group.pk).update(name="renamed")
    assert not _is_held()
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO auth_group (name) VALUES (%s)", [["a"], ["b"]])
        assert not _is_held()
        with pytest.raises(DatabaseError):
            cursor.execute("INSERT INTO auth_group (id, name) VALUES (%s, 'a')", [group.pk])
    assert not _is_held()
    group.delete()
    assert not _is_held()


def test_unread_returning_rows_do_not_keep_the_lock() -> None:
    """The next statement, or closing the cursor, ends an insert whose rows nobody read."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO auth_group (name) VALUES ('x') RETURNING id")
        cursor.execute("SELECT 1")
        assert not _is_held()
        cursor.execute("INSERT INTO auth_group (name) VALUES ('y') RETURNING id")
    assert not _is_held()


def test_closed_connection_gives_the_lock_back() -> None:
    """A connection that is closed in the middle of a transaction."""
    wrapper = connection.copy()
    assert isinstance(wrapper, DatabaseWrapper)
    wrapper.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert _is_held()
    wrapper.close()
    assert not _is_held()


def test_foreign_writer_is_an_error_and_not_a_hang() -> None:
    """Another program's transaction ends in "database is locked", and the lock comes back."""
    wrapper = connection.copy()
    wrapper.settings_dict["OPTIONS"] = {**wrapper.settings_dict["OPTIONS"], "timeout": 0.05}
    foreign = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(OperationalError, match="locked"):
            wrapper.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        assert not _is_held()
    finally:
        foreign.close()
        wrapper.close()


def test_thread_that_waits_too_long_is_told() -> None:
    """Within one process the wait is limited: a forgotten transaction is found."""
    lock = write_lock_of(str(connection.settings_dict["NAME"]))
    assert lock.acquire(1)
    try:
        assert not lock.acquire(0.01)
    finally:
        lock.release()


def test_processes_never_meet(tmp_path: Path) -> None:
    """With no patience at all (timeout 0) four processes write without one busy error."""
    path = str(tmp_path / "counter.sqlite3")
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(
        "PRAGMA journal_mode=WAL; CREATE TABLE counter (n); INSERT INTO counter VALUES (0)"
    )
    spawn = multiprocessing.get_context("spawn")
    arguments = (path, str(tmp_path / "counter.lock"), 50)
    writers = [spawn.Process(target=rows_write, args=arguments) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert database.execute("SELECT n FROM counter").fetchone() == (200,)
