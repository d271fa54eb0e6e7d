"""The configured rules of queues and resets, in the form that the pure modules take."""

from __future__ import annotations

from agents.config.selectors import section
from sessions.queueing import QueuePolicy, mode_named
from sessions.resets import ResetPolicy


def queue_policy() -> QueuePolicy:
    """`messages.queue` of the configuration document, with its defaults."""
    queue = section("messages").queue
    return QueuePolicy(
        mode=mode_named(queue.mode or "") or "collect",
        cap=queue.cap,
        drop=queue.drop,
        debounce_ms=queue.debounceMs,
        by_channel={
            name: mode
            for name, raw in (queue.byChannel or {}).items()
            if (mode := mode_named(raw)) is not None
        },
    )


def reset_policy() -> ResetPolicy:
    """`session.reset` of the configuration document, with its defaults."""
    reset = section("session").reset
    return ResetPolicy(mode=reset.mode, at_hour=reset.atHour, idle_minutes=reset.idleMinutes)
