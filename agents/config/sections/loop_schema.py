"""`tools.loopDetection`, for all agents and for one (runtime.md 6)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from agents.config.schema import Kept, Strict
from agents.config.sections.exec_schema import Elevated, ExecRules
from agents.config.sections.fs_schema import AgentFileRules
from agents.config.sections.outside_schema import OutsideContent
from agents.config.sections.tool_policy_schema import ToolRules

Calls = Annotated[int, Field(ge=1, le=1000)]


class LoopDetectors(Strict):
    """Which kinds of loops are looked for."""

    generic_repeat: bool = True
    known_poll_no_progress: bool = True
    ping_pong: bool = True


class PostCompactionGuard(Strict):
    """How many equal calls after a compaction end the turn; 0 switches it off."""

    window_size: int = Field(default=3, ge=0, le=100)


class LoopDetection(Strict):
    """Numbers of identical calls: a hint, a refusal, the end of the turn."""

    enabled: bool = True
    history_size: Calls = 30
    warning_threshold: Calls = 10
    critical_threshold: Calls = 20
    global_circuit_breaker_threshold: Calls = 30
    unknown_tool_threshold: Calls = 10
    detectors: LoopDetectors = LoopDetectors()
    post_compaction_guard: PostCompactionGuard = PostCompactionGuard()


class AgentTools(ToolRules):
    """What one agent says about its tools."""

    loop_detection: LoopDetection | None = None
    outside_content: OutsideContent | None = None

    exec: ExecRules = ExecRules()
    elevated: Elevated = Elevated()

    fs: AgentFileRules = AgentFileRules()
    message: Kept = None
