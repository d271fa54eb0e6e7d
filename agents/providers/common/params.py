"""Settings beside the contract: a request's `extra`, then the `params` of its model."""

from __future__ import annotations

from typing import Any, Literal

from agents.core.model import ModelRequest

# The reference's default cap of an answer, in tokens.
MAX_OUTPUT_TOKENS = 32_000

CacheRetention = Literal["none", "short", "long"]


def param(request: ModelRequest, *names: str) -> Any:
    """The first of `names` that is set; None when none is."""
    for source in (request.extra, request.model.params):
        for name in names:
            if source.get(name) is not None:
                return source[name]
    return None


def max_tokens(request: ModelRequest) -> int:
    """The cap of the answer in tokens: as asked, else the model's limit up to the default cap."""
    limit = request.model.max_tokens
    asked = request.max_tokens or param(request, "maxTokens", "max_tokens")
    return min(int(asked), limit) if asked else min(limit, MAX_OUTPUT_TOKENS)


def temperature(request: ModelRequest) -> float | None:
    """The sampling temperature; None leaves it to the service."""
    if request.temperature is not None:
        return request.temperature
    found = param(request, "temperature")
    return None if found is None else float(found)


def cache_retention(request: ModelRequest) -> CacheRetention:
    """How long prompts are cached: "short" unless the settings say "none" or "long"."""
    found = param(request, "cacheRetention", "cache_retention")
    return found if found in ("none", "long") else "short"


def extra_body(request: ModelRequest) -> dict[str, Any]:
    """Fields to put into the request as they are; they win over everything else."""
    found = param(request, "extraBody", "extra_body")
    return dict(found) if isinstance(found, dict) else {}
