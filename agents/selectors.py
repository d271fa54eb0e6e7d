"""Reads of agents: rows for people, a merged snapshot for a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from django.utils.translation import gettext as _

from agents.catalog.resolve import default_model_ref, resolve_model
from agents.config.cache import cached
from agents.config.documents import documents
from agents.config.paths import nearest
from agents.config.redaction import unseal
from agents.config.registry import section
from agents.config.sections.agents_schema import AgentDefaults, AgentsDocument
from agents.config.sections.sandbox_schema import sandbox_merged
from agents.config.selectors import text_resolve, value_resolve
from agents.core.errors import NotFound, UserError
from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo
from agents.models import Agent
from agents.workspace import MAIN_SLUG, workspace_path


@dataclass(frozen=True, slots=True)
class AgentSnapshot:
    """One agent as it is at the start of a turn: own settings over the defaults.

    `model` is the agent's own choice, that of the defaults, or what `default_model_ref` found;
    `fallbacks` are model references in order. `timeout_seconds` 0 means no limit. `settings`
    has the remaining keys of the agent's entry over those of `agents.defaults`; `sandbox` is merged
    key by key. `params` are the
    agent's own settings of requests, see `agent_model`.
    """

    slug: str
    name: str
    workspace: Path
    model: str
    fallbacks: tuple[str, ...]
    thinking: ThinkingLevel
    timeout_seconds: int
    max_concurrent: int
    system_prompt: str
    settings: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """What a run keeps: everything but `settings` and `params`, which may hold secrets."""
        return {
            "slug": self.slug,
            "name": self.name,
            "workspace": str(self.workspace),
            "model": self.model,
            "fallbacks": list(self.fallbacks),
            "thinking": self.thinking,
            "timeoutSeconds": self.timeout_seconds,
            "maxConcurrent": self.max_concurrent,
            "systemPrompt": self.system_prompt,
        }


def agent_defaults() -> AgentDefaults:
    """What holds for every agent that says nothing else."""
    return cast(AgentsDocument, section("agents")).defaults


def agents_list() -> list[Agent]:
    """Every agent, the default one first, then by id."""
    return list(Agent.objects.order_by("-is_default", "slug"))


def default_agent_slug() -> str:
    """The id of the agent that a message without one reaches."""
    return cached("default_agent", _default_agent_slug)


def _default_agent_slug() -> str:
    rows = Agent.objects.order_by("-is_default", "id")
    return rows.values_list("slug", flat=True).first() or MAIN_SLUG


def agent_snapshot(*, slug: str) -> AgentSnapshot:
    """The agent `slug` (any case) with everything merged. Cheap when asked for often.

    Raises NotFound for an unknown agent and UserError for one that is switched off.
    """
    name = slug.lower()
    # The default model depends on the environment, so it is not part of what is remembered.
    agent = cached(("agent", name), lambda: _agent_merged(name))
    model = default_model_ref(agent_model=agent.model)
    return agent if model == agent.model else replace(agent, model=model)


def _agent_merged(slug: str) -> AgentSnapshot:
    agent = Agent.objects.filter(slug=slug).first() or _implied(slug)
    if not agent.enabled:
        text = _("The agent %(id)s is switched off. An administrator can switch it on.")
        raise UserError(text % {"id": slug})
    defaults = agent_defaults()
    stored = documents().get("agents.defaults", {})
    own = value_resolve(unseal(agent.settings))
    fallbacks = agent.fallbacks if agent.fallbacks is not None else defaults.model.fallbacks
    limit = agent.timeout_seconds
    return AgentSnapshot(
        slug=agent.slug,
        name=agent.name or agent.slug,
        workspace=_workspace(agent, defaults.workspace),
        model=text_resolve(agent.model),
        fallbacks=tuple(text_resolve(ref) for ref in fallbacks or ()),
        thinking=cast(ThinkingLevel, agent.thinking or defaults.thinking_default),
        timeout_seconds=limit if limit is not None else defaults.timeout_seconds,
        max_concurrent=agent.max_concurrent or defaults.max_concurrent,
        system_prompt=agent.system_prompt,
        settings=_settings(value_resolve(stored), own),
        params=own.get("params") or {},
    )


def _settings(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**base, **own}
    if "sandbox" in merged:
        # Half of it from the agent must not take away the protection that the defaults state.
        merged["sandbox"] = sandbox_merged(base.get("sandbox"), own.get("sandbox"))
    return merged


def agent_model(*, slug: str, ref: str) -> ModelInfo:
    """The model that `ref` names, as the agent `slug` asks it.

    Its `params` are merged from, each over the one before: the provider, the model of the
    provider, `agents.defaults.params`, `agents.defaults.models."p/m".params`, the agent's own.
    Raises what `resolve_model` and `agent_snapshot` raise.
    """
    model, own = resolve_model(ref=ref), agent_snapshot(slug=slug).params
    return replace(model, params={**model.params, **own}) if own else model


def _implied(slug: str) -> Agent:
    """The agent that exists before any row does. Raises NotFound for every other."""
    slugs: Sequence[str] = list(Agent.objects.values_list("slug", flat=True))
    if slug == MAIN_SLUG and not slugs:
        return Agent(slug=MAIN_SLUG, is_default=True)
    text = _("There is no agent %(id)s.") % {"id": slug}
    if match := nearest(slug, slugs):
        text += " " + _("Did you mean %(id)s?") % {"id": match}
    raise NotFound(text)


def _workspace(agent: Agent, base: str) -> Path:
    is_base = agent.slug == MAIN_SLUG or (
        agent.is_default and not Agent.objects.filter(slug=MAIN_SLUG).exists()
    )
    return workspace_path(
        slug=agent.slug,
        configured=text_resolve(agent.workspace),
        base=base,
        is_base=is_base,
    )
