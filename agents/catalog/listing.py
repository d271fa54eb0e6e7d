"""The models that people can choose from, and the one that answers now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.catalog.known import REHEARSAL
from agents.catalog.ollama import NAME as OLLAMA
from agents.catalog.ollama import ollama_models
from agents.catalog.resolve import Catalog, catalog, default_model_ref, resolve_model
from agents.core.errors import UserError
from agents.core.model import ModelInfo


def models_list() -> list[ModelInfo]:
    """Every model that can be used now, without keys; the default one first.

    When `agents.defaults.models` names models, only those and the default are listed. May look
    for an Ollama on this machine (0.3 s, at most once a minute).
    """
    state = catalog()
    listed = [_usable(ref) for ref in state.defaults.models] or _all_models(state)
    by_ref = {model.ref: model for model in [_usable(default_model_ref()), *listed] if model}
    return [replace(model, api_key="", headers={}) for model in by_ref.values()]


def provider_in_use() -> dict[str, Any]:
    """The default model for pages: `ref`, `provider`, `model`, `source` (environment, database,
    local, built-in), `rehearsal`, and `problem`, a sentence when it cannot be used.

    Never raises.
    """
    ref = default_model_ref()
    result = {"ref": ref, "provider": "", "model": ref, "source": "", "problem": ""}
    try:
        model = resolve_model(ref=ref)
    except UserError as error:
        return {**result, "problem": error.message, "rehearsal": False}
    return {
        "ref": model.ref,
        "provider": model.provider,
        "model": model.name or model.id,
        "source": catalog().providers[model.provider].source,
        "problem": "",
        "rehearsal": model.ref == REHEARSAL.ref,
    }


def _usable(ref: str) -> ModelInfo | None:
    try:
        return resolve_model(ref=ref)
    except UserError:
        return None


def _all_models(state: Catalog) -> list[ModelInfo | None]:
    result: list[ModelInfo | None] = []
    for entry in state.providers.values():
        if not entry.problem:
            result += entry.models.values()
    if state.providers[OLLAMA].source == "local":
        result += [_usable(f"{OLLAMA}/{name}") for name in ollama_models()]
    return result
