"""The configured rules of queues and resets, in the form that the pure modules take."""

from __future__ import annotations

from agents.config.registry import section
from sessions.queueing import QueuePolicy, mode_named
from sessions.resets import ResetPolicy


def queue_policy() -> QueuePolicy:
    """`messages.queue` of the configuration document, with its defaults."""
    queue = section("messages").queue
    return QueuePolicy(
        mode=mode_named(queue.mode or "") or "collect",
        cap=queue.cap,
        drop=queue.drop,
        debounce_ms=queue.debounce_ms,
        by_channel={
            name: mode
            for name, raw in (queue.by_channel or {}).items()
            if (mode := mode_named(raw)) is not None
        },
    )


def reset_policy() -> ResetPolicy:
    """`session.reset` of the configuration document, with its defaults."""
    reset = section("session").reset
    return ResetPolicy(mode=reset.mode, at_hour=reset.at_hour, idle_minutes=reset.idle_minutes)
