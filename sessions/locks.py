"""One order of locks: whoever changes what belongs to a session locks its row first."""

from __future__ import annotations

from django.db import connection

from sessions.models import Session


def session_lock(session_id: str) -> None:
    """Holds off every other change of the session until the transaction ends.

    Everything else is read after it, or it may be older than the lock. On SQLite a transaction
    excludes all other writers from its begin, and nothing is asked.
    """
    if connection.features.has_select_for_update:
        locked = Session.objects.select_for_update(no_key=True).filter(pk=session_id).order_by()
        list(locked.values_list("pk"))
