"""The wire formats, and how a request is built in each without sending it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.core.model import ModelInfo, ModelRequest
from agents.providers.anthropic_messages import request as anthropic
from agents.providers.google_generative import request as google
from agents.providers.ollama import request as ollama
from agents.providers.openai_completions import request as openai
from agents.providers.openai_completions.compat import compat_for
from agents.providers.openai_responses import request as responses
from tests.agents.providers.conformance import rules
from tests.agents.providers.harness import model_for
from tests.agents.providers.responses_harness import responses_model
from tests.model_server.fixture import ModelServer

Body = dict[str, Any]


def _chat(request: ModelRequest) -> Body:
    return openai.body_build(request, compat_for(request.model))


BUILDERS: dict[str, Callable[[ModelRequest], Body]] = {
    "openai-completions": _chat,
    "openai-responses": responses.body_build,
    "anthropic-messages": anthropic.body_build,
    "google-generative-ai": google.body_build,
    "ollama": ollama.body_build,
    "bedrock-converse-stream": anthropic.body_build,
    "github-copilot": _chat,
}
CHECKERS: dict[str, Callable[[Body], None]] = {
    "openai-completions": rules.chat_check,
    "openai-responses": rules.responses_check,
    "anthropic-messages": rules.messages_check,
    "google-generative-ai": rules.google_check,
    "ollama": rules.ollama_check,
    "bedrock-converse-stream": rules.messages_check,
    "github-copilot": rules.chat_check,
}
APIS = tuple(BUILDERS)


def vendor_model(server: ModelServer, api: str) -> ModelInfo:
    """The scripted model in the given API."""
    return responses_model(server) if api == "openai-responses" else model_for(server, api)
