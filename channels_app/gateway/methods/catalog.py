"""agents.list and models.list: what there is to talk to."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agents.catalog.listing import models_list
from agents.catalog.resolve import default_model_ref
from agents.core.model import ModelInfo
from agents.core.principal import READ
from agents.database import run_db
from agents.models import Agent
from agents.providers.thinking_levels import thinking_levels
from agents.selectors import agents_list, default_agent_slug
from channels_app.gateway.call import Call
from channels_app.gateway.registry import method
from channels_app.gateway.validation import Params

Word = Annotated[str, Field(max_length=512)]


class AgentsList(Params):
    """No params."""


class ModelsList(Params):
    """Views and details are accepted; every answer is the full list of usable models."""

    view: Word | None = None
    provider: Word | None = None
    session_key: Word | None = None
    agent_id: Word | None = None
    include_details: bool | None = None
    prepared_only: bool | None = None
    refresh: bool | None = None


@method("agents.list", AgentsList, scope=READ)
async def list_agents(call: Call, params: AgentsList) -> Any:
    """The agents that are switched on, the default one first."""
    return await run_db(_agents)


def _agents() -> dict[str, Any]:
    return {
        "defaultId": default_agent_slug(),
        "mainKey": "main",
        "scope": "per-sender",
        "agents": [_agent(agent) for agent in agents_list() if agent.enabled],
    }


def _agent(agent: Agent) -> dict[str, Any]:
    name = agent.name or agent.slug
    return {
        "id": agent.slug,
        "name": name,
        "isDefault": agent.is_default,
        "identity": {"name": name},
        "model": {"primary": default_model_ref(agent_model=agent.model)},
    }


@method("models.list", ModelsList, scope=READ)
async def list_models(call: Call, params: ModelsList) -> Any:
    """The models that can be used now, the default one first."""
    return {"models": await run_db(_models, params.provider or "")}


def _models(provider: str) -> list[dict[str, Any]]:
    default = default_model_ref(agent_model="")
    return [
        _model(model, default)
        for model in models_list()
        if not provider or model.provider == provider
    ]


def _model(model: ModelInfo, default: str) -> dict[str, Any]:
    return {
        "id": model.id,
        "name": model.name or model.id,
        "provider": model.provider,
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
        "reasoning": model.reasoning,
        "thinkingLevels": list(thinking_levels(model)),
        "input": list(model.input),
        "available": True,
        "tags": ["default"] if model.ref == default else [],
    }
