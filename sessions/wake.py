"""The bell: tells a worker that a session has something to do.

Nothing depends on it. A lost ring is made good by the sweeper, a double one finds the lane taken.
"""

from __future__ import annotations

import structlog

log = structlog.get_logger(__name__)


def wake(session_id: str) -> None:
    """Rings for one session. Never raises; must be called after the commit."""
    from sessions.tasks import session_wake

    try:
        session_wake.apply_async(args=(session_id,), retry=False, expires=600)
    except Exception as error:  # noqa: BLE001 - any broker fault; the row is committed, the sweeper finds it
        log.warning("wake.failed", session=session_id, error=str(error))
