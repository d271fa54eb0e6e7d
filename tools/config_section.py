"""The `tools` section of the configuration document (automation.md 7.3)."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from pydantic import Field

from agents.config.issues import Findings
from agents.config.schema import Kept, Strict
from agents.config.section import Document, Section
from agents.config.sections.exec_schema import Elevated
from agents.config.sections.fs_schema import FileRules
from agents.config.sections.loop_schema import LoopDetection
from agents.config.sections.outside_schema import OutsideContent
from agents.config.sections.tool_policy_schema import InstallationToolRules
from tools.exec_schema import ExecDocument
from tools.policy_checks import PolicyCheck
from tools.policy_turns import tool_facts
from tools.tool_search.settings import OFF, ToolSearch
from tools.web.availability import web_check
from tools.web.settings import WebSettings


class ToolsDocument(InstallationToolRules):
    """The whole section."""

    loop_detection: LoopDetection = LoopDetection()
    outside_content: OutsideContent = OutsideContent()

    elevated: Elevated = Elevated()
    exec: ExecDocument = ExecDocument()
    fs: FileRules = FileRules()
    web: WebSettings = WebSettings()
    tool_search: ToolSearch = OFF
    media: Kept = None
    links: Kept = None
    sessions: Kept = None
    agent_to_agent: Kept = None
    message: Kept = None
    experimental: Kept = None
    # The reference writes this one key with an underscore.
    sessions_spawn: Kept = Field(default=None, alias="sessions_spawn")


class ToolsSection(Section[ToolsDocument]):
    """Refuses rules that cannot be applied, and warns of what will not do what it looks like."""

    def check(self, typed: ToolsDocument, findings: Findings) -> None:
        """The hint before the refusal, the refusal before the end."""
        loop = typed.loop_detection
        numbers = (
            loop.warning_threshold, loop.critical_threshold, loop.global_circuit_breaker_threshold,
        )  # fmt: skip
        if list(numbers) != sorted(set(numbers)):
            text = _("thresholds should rise (warning, critical, breaker); they are moved apart")
            findings.warn(self.path("loopDetection"), text)
        web_check(typed.web, findings, self.path("web"))
        PolicyCheck(typed, findings, tool_facts).installation()

    def check_whole(
        self, sections: Mapping[str, Strict], document: Document, findings: Findings
    ) -> None:
        """Rules of agents and rooms, which stand in other sections."""
        default = None if self.name in document else ToolsDocument()
        stated = sections.get(self.name, default)
        if isinstance(stated, ToolsDocument):
            PolicyCheck(stated, findings, tool_facts).whole(sections, document)


TOOLS = ToolsSection("tools", ToolsDocument)
