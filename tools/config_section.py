"""The `tools` section of the configuration document (automation.md 7.3)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from pydantic import Field

from agents.config.issues import Findings
from agents.config.schema import Kept, Strict
from agents.config.section import Section
from agents.config.sections.loop_schema import LoopDetection


class ToolsDocument(Strict):
    """The whole section."""

    loop_detection: LoopDetection = LoopDetection()

    profile: Kept = None
    allow: Kept = None
    also_allow: Kept = None
    deny: Kept = None
    by_provider: Kept = None
    tools_by_sender: Kept = None
    elevated: Kept = None
    exec: Kept = None
    fs: Kept = None
    web: Kept = None
    media: Kept = None
    links: Kept = None
    sessions: Kept = None
    agent_to_agent: Kept = None
    message: Kept = None
    sandbox: Kept = None
    subagents: Kept = None
    experimental: Kept = None
    # The reference writes this one key with an underscore.
    sessions_spawn: Kept = Field(default=None, alias="sessions_spawn")


class ToolsSection(Section[ToolsDocument]):
    """Warns where thresholds cannot come one after another."""

    def check(self, typed: ToolsDocument, findings: Findings) -> None:
        """The hint before the refusal, the refusal before the end."""
        loop = typed.loop_detection
        numbers = (
            loop.warning_threshold, loop.critical_threshold, loop.global_circuit_breaker_threshold,
        )  # fmt: skip
        if list(numbers) != sorted(set(numbers)):
            text = _("thresholds should rise (warning, critical, breaker); they are moved apart")
            findings.warn(self.path("loopDetection"), text)


TOOLS = ToolsSection("tools", ToolsDocument)
