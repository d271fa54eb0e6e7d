"""What a handler is told besides its event, and what is noted of its call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

HookOutcome = Literal["done", "failed", "timeout", "blocked"]


@dataclass(frozen=True, slots=True)
class HookRecord:
    """One call of one handler. `note` says what it changed or why it failed."""

    hook: str
    handler: str
    outcome: HookOutcome
    note: str
    started_at: datetime
    duration_ms: float


Recorder = Callable[[HookRecord], None]


def record_nothing(record: HookRecord) -> None:
    """The recorder of a context that keeps no account."""


@dataclass(frozen=True, slots=True)
class HookContext:
    """Where in the product the hook was called. Texts are "" where there is no such thing.

    `trigger` says what began the run (user, cron, heartbeat …), `message_provider` and `channel_id`
    through what its message came. `plugin_config` is the configuration of the plugin whose handler
    is called. `record` takes the account of each call; it must be quick and never raise.
    """

    agent_id: str = ""
    session_key: str = ""
    session_id: str = ""
    run_id: str = ""
    job_id: str = ""
    workspace_dir: str = ""
    message_provider: str = ""
    trigger: str = ""
    channel_id: str = ""
    trace: str = ""
    plugin_config: Mapping[str, Any] = field(default_factory=dict)
    record: Recorder = field(default=record_nothing, repr=False, compare=False)
