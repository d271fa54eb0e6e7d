"""The `approvals` section of the configuration document (automation.md 7.3).

approvals:
  timeoutSeconds: 120
  exec: {enabled: true, mode: targets, targets: [{channel: web, to: "agent:main:main"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Literal

from django.utils.translation import gettext as _
from pydantic import Field

from agents.config.issues import Findings
from agents.config.registry import section
from agents.config.schema import Kept, Strict
from agents.config.section import Section

MODES = ("session", "targets", "both")


class Target(Strict):
    """Where a question is told: `channel` is a route, `to` an address on it.

    `secret` signs what is sent to a webhook.
    """

    channel: str = Field(min_length=1, max_length=64)
    to: str = Field(min_length=1, max_length=2000)
    secret: str = ""
    account_id: Kept = None
    thread_id: Kept = None


class Forwarding(Strict):
    """Which questions are told where beside the pages that are open.

    `session`: in the conversation that asks; `targets`: at the named places. Without filters
    every question is told; `session_filter` holds parts of session keys, or patterns with *.
    """

    enabled: bool = False
    mode: Literal["session", "targets", "both"] = "session"
    agent_filter: list[str] = []
    session_filter: list[str] = []
    targets: list[Target] = []

    def concerns(self, *, agent: str, session_key: str) -> bool:
        """Whether questions of this agent in this session are forwarded at all."""
        if not self.enabled or (self.agent_filter and agent not in self.agent_filter):
            return False
        return not self.session_filter or any(
            pattern in session_key or fnmatchcase(session_key, pattern)
            for pattern in self.session_filter
        )

    def places(self, session_key: str) -> Iterator[Target]:
        """Where a question of this session is told."""
        if self.mode in ("session", "both") and session_key:
            yield Target(channel="web", to=session_key)
        if self.mode in ("targets", "both"):
            yield from self.targets


class ApprovalsDocument(Strict):
    """The whole section. Times are seconds; terminals are those of people at a command line."""

    timeout_seconds: int = Field(default=120, ge=1, le=86_400)
    terminal_timeout_seconds: int = Field(default=30, ge=1, le=86_400)
    exec: Forwarding = Forwarding()
    plugin: Forwarding = Forwarding()

    def forwarding(self, kind: str) -> Forwarding:
        """What holds for a question of this kind: hooks of plugins have their own."""
        return self.plugin if kind == "hook" else self.exec


class ApprovalsSection(Section[ApprovalsDocument]):
    """Checks that each place can be reached."""

    def check(self, typed: ApprovalsDocument, findings: Findings) -> None:
        """A route must be known, and targets are of no use to the mode that leaves them out."""
        from sessions.approvals.notice_routes import NOTICE_ROUTES

        for name in ("exec", "plugin"):
            stated: Forwarding = getattr(typed, name)
            for number, target in enumerate(stated.targets):
                path = self.path(name, "targets", number, "channel")
                if target.channel not in NOTICE_ROUTES:
                    routes = ", ".join(NOTICE_ROUTES.names())
                    text = _("there is no such route yet; known are %(routes)s")
                    findings.error(path, text % {"routes": routes})
                elif target.channel == "webhook" and not target.secret:
                    text = _("is required: what is sent to a webhook is signed with it")
                    findings.error(self.path(name, "targets", number, "secret"), text)
            if stated.enabled and stated.mode == "session" and stated.targets:
                text = _("have no effect: the mode is session")
                findings.warn(self.path(name, "targets"), text)
            if stated.enabled and stated.mode != "session" and not stated.targets:
                findings.warn(self.path(name, "targets"), _("is empty: nobody is told there"))


APPROVALS = ApprovalsSection("approvals", ApprovalsDocument)


def approvals_settings() -> ApprovalsDocument:
    """The settings in force. May query, unless they were read a moment ago."""
    settings: ApprovalsDocument = section("approvals")
    return settings
