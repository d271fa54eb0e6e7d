"""Who is told when a credential begins or ends to rest."""

from __future__ import annotations

from collections.abc import Callable

from agents.core.registry import Registry

# Called after such a change was committed. Filled by the app that reaches other processes.
STATE_LISTENERS: Registry[Callable[[], None]] = Registry("listener to credential states")
