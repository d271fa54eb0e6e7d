"""The `plugins` section as a model (automation.md 7.3, runtime.md 12)."""

from __future__ import annotations

from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.schema import Kept, Strict
from agents.config.sections.plugin_id import PluginId
from agents.hooks.names import HOOK_TABLE, LONGEST_SECONDS, unknown_hook

HookMs = Annotated[int, Field(ge=1, le=int(LONGEST_SECONDS * 1000))]


def _hook(value: str) -> str:
    if value not in HOOK_TABLE:
        raise ValueError(unknown_hook(value))
    return value


class PluginHooks(Strict):
    """What a plugin's hook handlers may see and do, and how long they may take.

    `timeouts` names single hooks and wins over `timeout_ms`.
    """

    timeout_ms: HookMs | None = None
    timeouts: dict[Annotated[str, AfterValidator(_hook)], HookMs] = {}
    allow_prompt_injection: bool = True
    allow_conversation_access: bool = False


class PluginEntry(Strict):
    """One plugin. `enabled` None: it is loaded only if `plugins.allow` names it."""

    enabled: bool | None = None
    config: dict[str, Any] = {}
    hooks: PluginHooks = PluginHooks()

    api_key: Kept = None
    env: Kept = None
    subagent: Kept = None


class PluginSlots(Strict):
    """Which plugin serves a purpose that only one can serve."""

    context_engine: str = "legacy"
    # Where notes are looked up; `none`: nowhere.
    memory: str = "memory-core"


def _absolute(value: str) -> str:
    if not value.startswith(("/", "~/")) or "\0" in value:
        raise ValueError(_("must be an absolute path"))
    return value


class PluginLoad(Strict):
    """Where plugins may lie besides the folder `plugins` in OPENCLAW_HOME. To lie there is not
    enough: an entry must enable them.
    """

    paths: list[Annotated[str, Field(max_length=1000), AfterValidator(_absolute)]] = []


class PluginsDocument(Strict):
    """The whole section. Without `allow` only plugins with `enabled: true` are loaded."""

    enabled: bool = True
    allow: list[PluginId] | None = None
    deny: list[PluginId] = []
    slots: PluginSlots = PluginSlots()
    entries: dict[PluginId, PluginEntry] = {}

    load: PluginLoad = PluginLoad()

    installs: Kept = None
