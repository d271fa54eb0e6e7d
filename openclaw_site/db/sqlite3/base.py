"""Django's SQLite backend with one queue for writers (see `write_lock`).

A transaction holds the lock from BEGIN to its end, a single statement in autocommit mode until
its rows are fetched. Django loads the class by the name `DatabaseWrapper`.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from openclaw_site.db.sqlite3.write_lock import WriteLock, write_lock_of

_DEFAULT_TIMEOUT = 5.0
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "ALTER", "DROP", "VACUUM", "REINDEX")


class LockingCursor(base.SQLiteCursorWrapper):
    """A cursor that takes the write lock around a write outside a transaction."""

    wrapper: DatabaseWrapper
    _holds = False

    def execute(self, query: str, params: Any = None) -> Any:
        """Runs one statement; a RETURNING clause keeps the lock until its rows are read."""
        self._acquire(query)
        try:
            return super().execute(query, params)
        finally:
            # SQLite commits such a statement when its last row was fetched.
            if self._holds and " RETURNING " not in query:
                self._release()

    def executemany(self, query: str, param_list: Any) -> Any:
        """Runs one statement for many rows."""
        self._acquire(query)
        try:
            return super().executemany(query, param_list)
        finally:
            self._release()

    def fetchone(self) -> Any:
        """The next row."""
        try:
            return super().fetchone()
        finally:
            self._release()

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        """The next rows."""
        try:
            return super().fetchmany(size)
        finally:
            self._release()

    def fetchall(self) -> list[Any]:
        """All remaining rows."""
        try:
            return super().fetchall()
        finally:
            self._release()

    def close(self) -> None:
        """Closes the cursor."""
        try:
            super().close()
        finally:
            self._release()

    def _acquire(self, query: str) -> None:
        self._release()
        if self.wrapper.autocommit and query.lstrip()[:8].upper().startswith(_WRITES):
            self._holds = self.wrapper.write_lock_acquire()

    def _release(self) -> None:
        if self._holds:
            self._holds = False
            self.wrapper.write_lock_release()


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection; it holds the write lock of its file at most once."""

    def __init__(self, settings_dict: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(settings_dict, *args, **kwargs)
        self._held: WriteLock | None = None

    def write_lock_acquire(self) -> bool:
        """Takes the lock; False when this connection has it already or lives in memory.

        Raises OperationalError after the connection's timeout, as SQLite itself does.
        """
        if self._held is not None or self.is_in_memory_db():
            return False
        lock = write_lock_of(str(self.settings_dict["NAME"]))
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", _DEFAULT_TIMEOUT))
        if not lock.acquire(timeout):
            raise OperationalError("database is locked")
        self._held = lock
        return True

    def write_lock_release(self) -> None:
        """Gives the lock back; without it nothing happens."""
        lock, self._held = self._held, None
        if lock is not None:
            lock.release()

    def create_cursor(self, name: str | None = None) -> LockingCursor:
        """A cursor that knows this connection."""
        cursor = self.connection.cursor(factory=LockingCursor)
        cursor.wrapper = self
        return cursor  # type: ignore[no-any-return]

    # The stubs do not show the private steps of a transaction.
    def _start_transaction_under_autocommit(self) -> None:
        self.write_lock_acquire()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.write_lock_release()
            raise

    def _commit(self) -> None:
        # A failed commit keeps the lock: Django rolls back next.
        super()._commit()  # type: ignore[misc]
        self.write_lock_release()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.write_lock_release()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.write_lock_release()
