"""What has served its time and may go, as each app knows it.

An app registers a callable in `AppConfig.ready()`; the scheduler's tick calls them all.
"""

from __future__ import annotations

from collections.abc import Callable

from agents.core.registry import Registry

# A pruner removes what is past its time and returns how much that was. It must be able to run
# twice, and must not remove anything that a person could still ask for.
Pruner = Callable[[], int]

PRUNERS: Registry[Pruner] = Registry("pruner")
