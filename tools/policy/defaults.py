"""What sandboxed sessions and children of agents get unless rules say otherwise. Pure.

From runtime.md 5.3, with the readers of long results and large catalogues.
"""

from __future__ import annotations

SANDBOX_ALLOW: tuple[str, ...] = (
    "exec", "process", "read", "write", "edit", "apply_patch", "image", "sessions_list",
    "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents",
    "session_status", "read_result", "group:catalog",
)  # fmt: skip
# Said as well as left out: `alsoAllow: ["*"]` shall not bring these.
SANDBOX_DENY: tuple[str, ...] = ("browser", "canvas", "nodes", "cron", "gateway")

_CHILD_DENY = ("gateway", "agents_list", "session_status", "cron", "sessions_send")
_LEAF_DENY = ("subagents", "sessions_list", "sessions_history", "sessions_spawn")


def subagent_denies(*, is_leaf: bool) -> tuple[str, ...]:
    """What a child may not use; a leaf has no children of its own."""
    return (*_CHILD_DENY, *_LEAF_DENY) if is_leaf else _CHILD_DENY
