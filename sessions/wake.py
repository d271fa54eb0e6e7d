"""The bell: tells a worker that a session has something to do.

Nothing depends on it. A lost ring is made good by the sweeper, a double one finds the lane taken.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

from agents.core.registry import Registry

log = structlog.get_logger(__name__)

# Filled by the composition with the bell of its task queue; one entry, so that it can be exchanged.
BELLS: Registry[Callable[[str], None]] = Registry("bell")


def wake(session_id: str) -> None:
    """Rings for one session. Never raises; must be called after the commit."""
    for name, ring in BELLS:
        try:
            ring(session_id)
        except Exception as error:  # noqa: BLE001
            # Whatever broke in the queue, the row is committed and the sweeper will find it.
            log.warning("wake.failed", bell=name, session=session_id, error=str(error))
