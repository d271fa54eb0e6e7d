"""Settings and fields that a model's requests get in addition.

Options: `params` holds settings by the names that clients know (`num_ctx`, `topP`, …), `body`
holds fields that are put into the request as they are. Both win over the model's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.core.model import ModelRequest, StreamFn
from agents.providers.common.params import extra_body
from agents.providers.wrappers.compose import WrapperSettingsError
from agents.providers.wrappers.context import WrapperContext

BODY = "extraBody"


def extra_params(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream` with more in its requests. What a caller asked for this one call stays."""
    params, body = _mapping(context, "params"), _mapping(context, "body")

    def changed(request: ModelRequest) -> ModelRequest:
        extra = {**params, **request.extra}
        if body:
            extra[BODY] = {**extra_body(request), **body}
        return replace(request, extra=extra)

    return lambda request, signal: stream(changed(request), signal)


def _mapping(context: WrapperContext, key: str) -> Mapping[str, Any]:
    value = context.options.get(key, {})
    if not isinstance(value, Mapping):
        raise WrapperSettingsError(f"{key} must be an object")
    return value
