"""The `agents` section as a model (automation.md 7.3)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field

from agents.config.schema import Kept, Strict, validated
from agents.config.sections.context_schema import (
    Compaction,
    ContextLimits,
    ContextPruning,
    ContextTokens,
)
from agents.config.sections.exec_schema import ElevatedLevel
from agents.config.sections.loop_schema import AgentTools
from agents.config.sections.params_schema import Params
from agents.config.sections.sandbox_schema import SandboxDocument
from agents.memory.settings_schema import MemorySearch
from agents.models import AGENT_ID
from agents.prompt.workspace_files import MAX_CHARS, MAX_TOTAL_CHARS

ThinkingDefault = Literal["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"]
VerboseDefault = Literal["off", "on", "full"]
ReasoningDefault = Literal["off", "on", "stream"]
# The name of a skill as its SKILL.md states it.
SkillName = Annotated[str, Field(min_length=1, max_length=64)]
# Keys of `agents` itself; no agent may be called so, or its short form could not be written.
RESERVED_IDS: tuple[str, ...] = ("defaults", "list")
# The `aliases` of models stand where provider/model stands, so they have no slash.
_ALIAS = re.compile(r"[^\s/]+\Z")


def _agent_id(value: str) -> str:
    slug = value.lower()
    if slug in RESERVED_IDS:
        raise ValueError(_("%(id)s is a reserved word") % {"id": slug})
    return validated(AGENT_ID, slug)


def _alias(value: str) -> str:
    if not _ALIAS.match(value):
        raise ValueError(_("an alias is one word without a slash"))
    return value


def _reference(value: str) -> str:
    provider, slash, model = value.partition("/")
    if value != value.strip() or (slash and not (provider and model.strip("/"))):
        raise ValueError(_("must be provider/model, the id of a model or an alias"))
    return value


def _fallback(value: str) -> str:
    if not value:
        raise ValueError(_("must name a model; leave it out instead"))
    return value


def _written_out(value: Any) -> Any:
    return {"primary": value} if isinstance(value, str) else value


Reference = Annotated[str, AfterValidator(_reference)]


class ModelChoice(Strict):
    """A model and what to try when it fails. `fallbacks` None inherits, () switches off."""

    primary: Reference = ""
    fallbacks: list[Annotated[Reference, AfterValidator(_fallback)]] | None = None


Model = Annotated[ModelChoice, BeforeValidator(_written_out)]


class ModelEntry(Strict):
    """What is said about one model reference: a short name, request parameters."""

    alias: Annotated[str, AfterValidator(_alias)] | None = None
    params: Params = {}
    streaming: Kept = None


class Identity(Strict):
    """How an agent presents itself."""

    name: str = ""
    theme: str = ""
    emoji: str = ""
    avatar: str = ""


class AgentDefaults(Strict):
    """What holds for every agent that says nothing else. Times in seconds; 0 means no limit."""

    workspace: str = ""
    model: Model = ModelChoice()
    models: dict[str, ModelEntry] = {}
    params: Params = {}
    thinking_default: ThinkingDefault = "off"
    verbose_default: VerboseDefault = "off"
    reasoning_default: ReasoningDefault = "off"
    timeout_seconds: int = Field(default=600, ge=0, le=7 * 24 * 3600)
    max_concurrent: int = Field(default=4, ge=1, le=10_000)
    context_tokens: ContextTokens | None = None
    context_pruning: ContextPruning = ContextPruning()
    compaction: Compaction = Compaction()
    context_limits: ContextLimits = ContextLimits()
    # What the tools of media ask, see docs/media.md.
    image_model: Model = ModelChoice()
    pdf_model: Model = ModelChoice()
    image_generation_model: Model = ModelChoice()
    video_generation_model: Model = ModelChoice()
    media_max_mb: float = Field(default=5, gt=0, le=100)
    image_max_dimension_px: int = Field(default=1200, ge=64, le=8000)

    repo_root: Kept = None
    # The only skills of the agent; unset: all of them.
    skills: list[SkillName] | None = None
    # Characters of the workspace's files in the prompt: of one, and of all.
    bootstrap_max_chars: int = Field(default=MAX_CHARS, ge=64, le=1_000_000)
    bootstrap_total_max_chars: int = Field(default=MAX_TOTAL_CHARS, ge=64, le=10_000_000)
    # No files are made in a new workspace.
    skip_bootstrap: bool = False
    bootstrap_prompt_truncation_warning: Kept = None
    context_injection: Kept = None
    system_prompt_override: Kept = None
    user_timezone: Kept = None
    time_format: Kept = None
    envelope_timezone: Kept = None
    envelope_timestamp: Kept = None
    envelope_elapsed: Kept = None
    memory_search: MemorySearch = MemorySearch()
    elevated_default: ElevatedLevel = "on"
    block_streaming_default: Kept = None
    block_streaming_break: Kept = None
    block_streaming_chunk: Kept = None
    block_streaming_coalesce: Kept = None
    human_delay: Kept = None
    typing_interval_seconds: Kept = None
    typing_mode: Kept = None
    heartbeat: Kept = None
    subagents: Kept = None
    sandbox: SandboxDocument = SandboxDocument()
    cli_backends: Kept = None
    startup_context: Kept = None
    silent_reply: Kept = None


class AgentEntry(Strict):
    """One agent. What is missing is inherited from the defaults."""

    id: Annotated[str, AfterValidator(_agent_id)]
    default: bool = False
    enabled: bool = True
    name: str = Field(default="", max_length=120)
    workspace: str = Field(default="", max_length=500)
    model: Model = ModelChoice()
    system_prompt: str = ""
    thinking_default: ThinkingDefault | None = None
    verbose_default: VerboseDefault | None = None
    reasoning_default: ReasoningDefault | None = None
    timeout_seconds: int | None = Field(default=None, ge=0, le=7 * 24 * 3600)
    max_concurrent: int | None = Field(default=None, ge=1, le=10_000)
    identity: Identity = Identity()
    params: Params = {}
    tools: AgentTools = AgentTools()
    context_tokens: ContextTokens | None = None

    agent_dir: Kept = None
    fast_mode_default: Kept = None
    # The only skills of the agent; unset: all of them.
    skills: list[SkillName] | None = None
    memory_search: MemorySearch | None = None
    human_delay: Kept = None
    tts: Kept = None
    heartbeat: Kept = None
    group_chat: Kept = None
    subagents: Kept = None
    sandbox: SandboxDocument = SandboxDocument()
    runtime: Kept = None
    system_prompt_override: Kept = None


class AgentsDocument(Strict):
    """The whole section."""

    defaults: AgentDefaults = AgentDefaults()
    # The attribute cannot be called `list`: annotations below it would mean this field.
    entries: list[AgentEntry] = Field(default=[], alias="list")
