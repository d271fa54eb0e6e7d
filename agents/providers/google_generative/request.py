"""The address and the body of a generateContent request."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.params import extra_body, param, temperature
from agents.providers.common.prompt_cache import system_text
from agents.providers.common.schemas import tools_normalised
from agents.providers.google_generative.contents import contents_encode
from agents.providers.google_generative.generation import thinking_fields

DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
DEFAULT_VERSION = "v1beta"
_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")
# OAuth access tokens of Google begin with this and are no API keys.
_TOKEN_MARK = "ya29."  # noqa: S105

# Settings that have the same name in generationConfig, as written in the settings and as sent.
_PASSED = {
    "topP": "topP",
    "topK": "topK",
    "seed": "seed",
    "stopSequences": "stopSequences",
    "presencePenalty": "presencePenalty",
    "frequencyPenalty": "frequencyPenalty",
    "responseMimeType": "responseMimeType",
}
_MODES = {"auto": "AUTO", "none": "NONE", "any": "ANY", "required": "ANY"}


def request_url(model: ModelInfo) -> str:
    """Where to POST. A base URL without a version in its path gets the current one."""
    base = (model.base_url or DEFAULT_BASE_URL).rstrip("/")
    if not _VERSION.search(base):
        base = f"{base}/{DEFAULT_VERSION}"
    name = model.id if model.id.startswith("tunedModels/") else f"models/{_bare(model.id)}"
    return f"{base}/{quote(name)}:streamGenerateContent?alt=sse"


def _bare(model_id: str) -> str:
    return model_id.removeprefix("models/")


def headers_build(model: ModelInfo) -> dict[str, str]:
    """The key in the header of its kind, and the model's own headers, which win."""
    headers: dict[str, str] = {}
    if model.api_key.startswith(_TOKEN_MARK):
        headers["authorization"] = f"Bearer {model.api_key}"
    elif model.api_key:
        headers["x-goog-api-key"] = model.api_key
    return headers | {name.lower(): value for name, value in model.headers.items()}


def body_build(request: ModelRequest) -> dict[str, Any]:
    """The whole body, plain dicts and lists."""
    body: dict[str, Any] = {
        "contents": contents_encode(request.messages, request.model),
        "generationConfig": _generation_config(request),
    }
    if system := system_text(request.system):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": _declarations(request)}]
        if (choice := param(request, "toolChoice", "tool_choice")) is not None:
            body["toolConfig"] = {"functionCallingConfig": _tool_choice(choice)}
    if (safety := param(request, "safetySettings")) is not None:
        body["safetySettings"] = safety
    return body | extra_body(request)


def _generation_config(request: ModelRequest) -> dict[str, Any]:
    config = thinking_fields(request)
    if (heat := temperature(request)) is not None:
        config["temperature"] = heat
    for name, wire in _PASSED.items():
        if (value := param(request, name, wire)) is not None:
            config[wire] = value
    return config


def _declarations(request: ModelRequest) -> list[dict[str, Any]]:
    declarations: list[dict[str, Any]] = []
    for tool in tools_normalised(request.tools, request.model):
        declared: dict[str, Any] = {"name": tool.name, "description": tool.description}
        # An object without properties may not be described at all.
        if tool.parameters.get("properties"):
            declared["parametersJsonSchema"] = tool.parameters
        declarations.append(declared)
    return declarations


def _tool_choice(choice: Any) -> dict[str, Any]:
    """A choice as other services name it: "auto", "none", "required", or one tool's name."""
    if isinstance(choice, dict):
        function = choice.get("function")
        name = function.get("name") if isinstance(function, dict) else choice.get("name")
        return {"mode": "ANY", "allowedFunctionNames": [str(name)]} if name else {"mode": "AUTO"}
    return {"mode": _MODES.get(str(choice).lower(), "AUTO")}
