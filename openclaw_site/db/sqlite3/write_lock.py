"""One queue for everybody who writes to a SQLite file: threads first, then processes.

SQLite's own busy handler sleeps between tries (up to 100 ms), so a process that writes often
starves the others. A blocking `flock` is handed over at once, and the kernel frees it when its
holder dies. It only orders the writers: correctness stays with SQLite's own locks.
"""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path


class WriteLock:
    """The lock of one database file in this process. Not re-entrant."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._descriptor = -1

    def acquire(self, timeout: float) -> bool:
        """Waits at most `timeout` seconds for threads of this process, then for other processes.

        Returns False when a thread kept it too long. Another process is waited for without
        limit: it holds the lock for one short transaction, or it is dead and does not hold it.
        """
        if not self._threads.acquire(timeout=timeout):
            return False
        try:
            if self._descriptor < 0:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                self._descriptor = os.open(self._path, flags, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except BaseException:
            self._threads.release()
            raise
        return True

    def release(self) -> None:
        """Hands over to the next writer. Must be called once for each acquire, by any thread."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._threads.release()


_locks: dict[str, WriteLock] = {}
_registry = threading.Lock()


def write_lock_of(database: str) -> WriteLock:
    """The lock of the database file `database`; the lock file stands beside it as `.lock`."""
    with _registry:
        if database not in _locks:
            _locks[database] = WriteLock(Path(database).with_suffix(".lock"))
        return _locks[database]


# A child would share the parent's open descriptor, and with it the parent's lock.
os.register_at_fork(after_in_child=_locks.clear)
