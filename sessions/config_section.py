"""The `session` and `messages` sections of the configuration document (automation.md 7.3)."""

from __future__ import annotations

from typing import Annotated, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.issues import Findings
from agents.config.schema import Kept, Strict
from agents.config.section import Section
from sessions.queueing import DropPolicy, mode_named
from tools.media.settings import TtsDocument


def _mode(value: str) -> str:
    mode = mode_named(value)
    if mode is None:
        raise ValueError(_("must be steer, followup, collect or interrupt"))
    return mode


# The reference's older names (queue, steer-backlog) are taken for what they mean here.
Mode = Annotated[str, AfterValidator(_mode)]
Milliseconds = Annotated[int, Field(ge=0, le=3_600_000)]


class Reset(Strict):
    """When a conversation starts over by itself: at a local hour, or after idle minutes."""

    mode: Literal["daily", "idle", "none"] = "daily"
    at_hour: int = Field(default=4, ge=0, le=23)
    idle_minutes: int | None = Field(default=None, ge=1)


class SessionDocument(Strict):
    """The `session` section."""

    reset: Reset = Reset()

    scope: Kept = None
    dm_scope: Kept = None
    main_key: Kept = None
    identity_links: Kept = None
    idle_minutes: Kept = None
    reset_triggers: Kept = None
    reset_by_type: Kept = None
    reset_by_channel: Kept = None
    store: Kept = None
    send_policy: Kept = None
    agent_to_agent: Kept = None
    thread_bindings: Kept = None
    typing_mode: Kept = None
    typing_interval_seconds: Kept = None
    write_lock: Kept = None
    maintenance: Kept = None


class Queue(Strict):
    """What happens to messages that arrive while a turn runs (gateway.md 8)."""

    mode: Mode = "collect"
    by_channel: dict[str, Mode] = {}
    debounce_ms: Milliseconds = 1000
    debounce_ms_by_channel: Kept = None
    cap: int = Field(default=20, ge=1, le=1000)
    drop: DropPolicy = "summarize"


class MessagesDocument(Strict):
    """The `messages` section."""

    queue: Queue = Queue()
    tts: TtsDocument = TtsDocument()

    message_prefix: Kept = None
    response_prefix: Kept = None
    ack_reaction: Kept = None
    ack_reaction_scope: Kept = None
    remove_ack_after_reply: Kept = None
    status_reactions: Kept = None
    group_chat: Kept = None
    visible_replies: Kept = None
    inbound: Kept = None
    suppress_tool_errors: Kept = None


class SessionSection(Section[SessionDocument]):
    """Warns where two settings contradict each other."""

    def check(self, typed: SessionDocument, findings: Findings) -> None:
        """An hour has no meaning for a reset that only looks at idle time."""
        reset = typed.reset
        if reset.mode == "idle" and "at_hour" in reset.model_fields_set:
            path = self.path("reset", "atHour")
            findings.warn(path, _("has no effect: the mode is idle"))


SESSION = SessionSection("session", SessionDocument)
MESSAGES = Section("messages", MessagesDocument)
