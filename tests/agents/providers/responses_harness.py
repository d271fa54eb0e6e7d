"""Responses models on the scripted server, one for each transport."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.core.model import ModelInfo
from tests.agents.providers.harness import model_for
from tests.model_server.fixture import ModelServer

API = "openai-responses"
TRANSPORTS = ("sse", "websocket")


def responses_model(server: ModelServer, transport: str = "sse", **values: Any) -> ModelInfo:
    """The scripted model over Responses."""
    model = replace(model_for(server, "openai-completions"), api=API, reasoning=True)
    return replace(model, compat={"transport": transport}, **values)
