"""What happens by itself when rows of this app change or its tables are made."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction

from agents.config.cache import cache_clear, change_announce


def rows_changed(*, using: str, **_: object) -> None:
    """Forgets what was read, now and again when the change is committed."""
    cache_clear()
    transaction.on_commit(change_announce, using=using)


def main_agent_ensure(*, using: str, apps: Any = None, **_: object) -> None:
    """Makes the first agent after the tables were made or emptied.

    `apps` is the state that was migrated to; when that is before the first migration, there is
    no table to write to.
    """
    from agents.services import agent_ensure_main

    cache_clear()
    if using != DEFAULT_DB_ALIAS or (apps is not None and "agent" not in apps.all_models["agents"]):
        return
    agent_ensure_main()
