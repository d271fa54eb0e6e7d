"""Removes what has served its time, in every app that registered a pruner."""

from __future__ import annotations

from importlib import import_module

import structlog
from django.conf import settings

from agents.pruning import PRUNERS

log = structlog.get_logger(__name__)


def prune_all() -> dict[str, int]:
    """How much each pruner removed. One that fails is logged and stops no other."""
    removed: dict[str, int] = {}
    for name in PRUNERS.names():
        try:
            removed[name] = PRUNERS.get(name)()
        except Exception:
            log.exception("pruner_failed", pruner=name)
    if any(removed.values()):
        log.info("pruned", **{name: count for name, count in removed.items() if count})
    return removed


def web_sessions_prune() -> int:
    """Removes browser sessions that have ended. The framework does not say how many."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return 0
