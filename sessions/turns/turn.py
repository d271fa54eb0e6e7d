"""What a worker holds in its hands while it works on one turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agents.core.attempts import AttemptPolicy
from agents.core.messages import Message
from agents.core.model import ModelInfo
from agents.core.principal import Principal
from agents.core.tools import ToolResult
from agents.hooks.context import HookRecord
from sessions.models import InboxItem, Run, Session
from sessions.showing import Showing

if TYPE_CHECKING:
    from agents.selectors import AgentSnapshot
    from sessions.context.settings import ContextSettings
    from sessions.turns.chain import Found


class LeaseLostError(Exception):
    """Another worker took the session over. The turn must stop and write nothing more."""


@dataclass(slots=True)
class Turn:
    """A run in progress under a fence.

    `next_seq` and `leaf` mirror the transcript row: only the holder of the fence adds entries.
    `texts` are the visible texts of the run's committed answers. `answers` are results of tool
    calls that are known before the loop starts (after a kill). `failure` says why no model can be
    called at all; then the turn only explains itself. `more`: messages were left waiting.
    `files` are blocks of attached files by their ids. `refused` are messages that the queue could
    not hold; they have ended already.
    `compaction` is the entry of the summary that `history` begins with, `compacted_at` its time in
    milliseconds since the epoch; images are sent from the entry `images_from` on. `summarised`: a
    compaction of this turn made the history shorter. `sent` says how
    the history was cut to what was sent last. `settings` are those of its context.
    `found` is the model with its credentials, `refs` the models that may be asked in its place.
    `policy` are the numbers of its attempts. `budgeted`: some budget limits this turn.
    `used` are (credential, model) that answered, and when they were last asked,
    `warnings` sentences for whoever looks at the run.
    `hook_calls` are records of hooks that the next write stores, `hooks_stored` how many are.
    `opened_call` is the number of the newest model call that has a row, `totals` the tokens and
    the cost of the calls made in this process. `open_batch` is the entry whose tool calls have no
    results in the transcript yet. `attended`: somebody can be asked while it runs.
    `disk_open`: its file tools may leave the workspace, when its person is an owner.
    """

    session: Session
    transcript_id: str
    run: Run
    fence: int
    principal: Principal
    snapshot: AgentSnapshot | None
    model: ModelInfo | None
    items: Sequence[InboxItem]
    history: list[Message]
    next_seq: int
    leaf: str
    failure: str = ""
    showing: Showing = field(default_factory=Showing)
    resumed: bool = False
    more: bool = False
    prompt_entry: Any = None
    refused: Sequence[InboxItem] = ()
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    compaction: str = ""
    compacted_at: int = 0
    images_from: str = ""
    summarised: bool = False
    sent: dict[str, Any] = field(default_factory=dict)
    settings: ContextSettings | None = None
    found: Found | None = None
    refs: Sequence[str] = ()
    policy: AttemptPolicy = field(default_factory=AttemptPolicy)
    budgeted: bool = False
    used: dict[tuple[str, str], datetime] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    hook_calls: list[HookRecord] = field(default_factory=list)
    hooks_stored: int = 0
    model_calls: int = 0
    opened_call: int = 0
    open_batch: str = ""
    attended: bool = True
    disk_open: bool = False
    totals: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    answers: dict[str, ToolResult] = field(default_factory=dict)
    new_entries: list[dict[str, object]] = field(default_factory=list)
    last_commit: float = field(default_factory=time.monotonic)

    @property
    def compacts(self) -> bool:
        """Whether this is no turn of the agent but a compaction that a person asked for."""
        return bool(self.items) and "compact" in self.items[0].options

    @property
    def wires(self) -> list[str]:
        """The wire ids that this turn answers."""
        return [item.wire_id for item in self.items]
