"""Hooks: places in the life of a message where installed plugins and apps may look or change.

`HOOKS.on` registers a handler; `hook_observe`, `hook_modify`, `hook_claim` and `hook_transform`
call them. Pure Python: usable without Django, Redis or Celery.
"""

from __future__ import annotations

from agents.hooks.calls import hook_claim, hook_modify, hook_observe, hook_transform
from agents.hooks.context import HookContext, HookRecord
from agents.hooks.registry import HOOKS, hooks_present

__all__ = [
    "HOOKS",
    "HookContext",
    "HookRecord",
    "hook_claim",
    "hook_modify",
    "hook_observe",
    "hook_transform",
    "hooks_present",
]
