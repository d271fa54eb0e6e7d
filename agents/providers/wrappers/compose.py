"""Which wrappers a model's calls pass through, and the passing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage
from agents.core.model import Failed, ModelEvent, ModelInfo, ModelRequest, StreamFn
from agents.providers.wrappers.context import WrapperContext
from agents.providers.wrappers.registry import ALWAYS, BUILT_IN, STREAM_WRAPPERS

log = structlog.get_logger(__name__)

# The key of `ModelInfo.params` that lists a model's wrappers.
PARAM = "wrappers"

Entry = str | Mapping[str, Any]


class WrapperSettingsError(ValueError):
    """A list of wrappers that cannot be used; the text says what to correct."""


def wrappers_for(model: ModelInfo) -> list[Entry]:
    """The wrappers of `model`'s calls, the outermost first.

    Those of plugins, then what `params.wrappers` lists, at last `think_tags`; one that the list
    names has the place and the options that are given there.
    """
    stated = model.params.get(PARAM)
    listed: list[Entry] = list(stated) if isinstance(stated, list | tuple) else []
    names = {entry_name(entry) for entry in listed}
    of_plugins: list[Entry] = [
        name for name in STREAM_WRAPPERS.names() if name not in BUILT_IN and name not in names
    ]
    always = [] if ALWAYS in names else [ALWAYS]
    return [*of_plugins, *listed, *always]


def entry_name(entry: Any) -> str:
    """The name of a wrapper in a list: the entry itself or its `name`; "" for anything else."""
    if isinstance(entry, Mapping):
        entry = entry.get("name")
    return entry if isinstance(entry, str) else ""


def wrapped(stream: StreamFn, entries: Sequence[Entry], context: WrapperContext) -> StreamFn:
    """`stream` within all these wrappers, the first one outermost.

    An entry is a name, or a mapping with `name` and the wrapper's options. Raises
    WrapperSettingsError for one that is not known or has options that cannot be used.
    """
    for entry in reversed(entries):
        name = entry_name(entry)
        if name not in STREAM_WRAPPERS:
            known = ", ".join(STREAM_WRAPPERS.names())
            raise WrapperSettingsError(f"wrappers: {name or entry!r} is none of {known}")
        options = {} if isinstance(entry, str) else {k: v for k, v in entry.items() if k != "name"}
        try:
            stream = STREAM_WRAPPERS.get(name)(stream, replace(context, options=options))
        except WrapperSettingsError as error:
            raise WrapperSettingsError(f"wrappers: {name}: {error}") from error
        except Exception as error:
            # A plugin's wrapper may be one that must not be left out, such as a filter.
            log.error("wrapper_broken", wrapper=name, exc_info=error)
            raise WrapperSettingsError(f"wrappers: {name} cannot be made: {error}") from error
    return stream


def composed(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream` within the wrappers of whichever model each request is for.

    Keeps the contract of a StreamFn: wrappers that cannot be used give a Failed (format), not an
    exception. A wrapper is made once for all calls of a model.
    """
    made: dict[str, StreamFn] = {}

    def run(request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        try:
            return _made(made, stream, context, request.model)(request, signal)
        except WrapperSettingsError as error:
            return _refused(request.model, str(error))

    return run


def _made(
    made: dict[str, StreamFn], stream: StreamFn, context: WrapperContext, model: ModelInfo
) -> StreamFn:
    if model.ref not in made:
        made[model.ref] = wrapped(stream, wrappers_for(model), context)
    return made[model.ref]


async def _refused(model: ModelInfo, text: str) -> AsyncIterator[ModelEvent]:
    error = ProviderError(f"{model.ref}: {text}", reason="format")
    message = AssistantMessage(
        content=(),
        api=model.api,
        provider=model.provider,
        model=model.id,
        stop_reason="error",
        error_message=error.message,
    )
    yield Failed(message, error)
