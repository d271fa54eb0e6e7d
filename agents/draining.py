"""Whether this process is about to stop.

A connection that ends because the server stops is not a caller who hung up: whoever aborts work
on a disconnect asks here first.
"""

from __future__ import annotations

import threading

_draining = threading.Event()


def drain_begin() -> None:
    """Called once by the process's own shutdown, before connections are closed."""
    _draining.set()


def is_draining() -> bool:
    """True from the moment the process began to stop."""
    return _draining.is_set()
