"""Configuration for the stage: models that can think, aliases, credentials."""

from __future__ import annotations

from typing import Any

import orjson

from agents.config.services import config_apply
from agents.database import run_db
from agents.models import AuthProfile
from sessions.models import Session

THINKER = "openai/scripted"
PLAIN = "openai/plain"


async def configure(agent: dict[str, Any] | None = None, **defaults: Any) -> None:
    """The scripted model thinks, `plain` does not; `quick` is an alias of the latter."""
    defaults = {"models": {THINKER: {}, PLAIN: {"alias": "quick"}}, **defaults}
    models = [
        {"id": "scripted", "reasoning": True, "contextWindow": 100_000, "maxTokens": 4_000},
        {"id": "plain", "contextWindow": 100_000, "maxTokens": 4_000},
    ]
    provider = {
        "baseUrl": "${OPENAI_BASE_URL}",
        "apiKey": "${OPENAI_API_KEY}",
        "api": "openai-completions",
        "models": models,
    }
    document: dict[str, Any] = {
        "agents": {"defaults": defaults, "list": [{"id": "main", **(agent or {})}]},
        "models": {"providers": {"openai": provider}},
    }
    await run_db(lambda: config_apply(text=orjson.dumps(document).decode(), author="test"))


async def credential(name: str, provider: str = "openai") -> None:
    """A stored credential beside that of the environment."""
    await run_db(
        lambda: AuthProfile.objects.create(name=name, provider=provider, secret="sk-stored")
    )


async def session_now(key: str) -> Session:
    """The session's row."""
    return await run_db(lambda: Session.objects.get(key=key))
