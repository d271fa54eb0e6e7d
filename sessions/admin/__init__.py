"""The admin of conversations, runs and people."""

from __future__ import annotations

from sessions.admin import (
    accounts,
    approvals,
    budgets,
    compactions,
    hooks,
    identities,
    inbox,
    model_calls,
    outgoing,
    people,
    prompts,
    runs,
    sessions,
    subagents,
    switch,
    system_events,
    tool_calls,
    transcripts,
)

__all__ = [
    "accounts",
    "approvals",
    "budgets",
    "compactions",
    "hooks",
    "identities",
    "inbox",
    "model_calls",
    "outgoing",
    "people",
    "prompts",
    "runs",
    "sessions",
    "subagents",
    "switch",
    "system_events",
    "tool_calls",
    "transcripts",
]
