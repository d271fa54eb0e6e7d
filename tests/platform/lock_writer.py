"""A process that writes to a SQLite file through the write lock, as often as it can."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from openclaw_site.db.sqlite3.write_lock import WriteLock


def rows_write(path: str, lock_path: str, count: int) -> None:
    """Counts up `count` times without any patience of SQLite's own; a busy file is an error."""
    lock = WriteLock(Path(lock_path))
    database = sqlite3.connect(path, isolation_level=None, timeout=0)
    for _ in range(count):
        lock.acquire(10)
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE counter SET n = n + 1")
        database.execute("COMMIT")
        lock.release()
