"""HTTP headers that a model's requests get in addition.

Options: `headers`, an object of texts. In them `{agent}`, `{session}`, `{run}`, `{model}` stand
for those of the call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from agents.core.model import ModelRequest, StreamFn
from agents.providers.wrappers.compose import WrapperSettingsError
from agents.providers.wrappers.context import WrapperContext

# A token of RFC 9110; and what a value must not hold, or it would end the header.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSAFE = re.compile(r"[^\x20-\x7e]")


def headers(stream: StreamFn, context: WrapperContext) -> StreamFn:
    """`stream` with these headers over the model's own."""
    given = context.options.get("headers", {})
    if not isinstance(given, Mapping):
        raise WrapperSettingsError("headers must be an object of texts")
    for name, value in given.items():
        if not _NAME.fullmatch(str(name)) or not isinstance(value, str):
            raise WrapperSettingsError(f"headers: {name!r} must be a header's name with a text")

    def changed(request: ModelRequest) -> ModelRequest:
        marks = {
            "{agent}": context.agent,
            "{session}": context.session_id or request.session_id,
            "{run}": context.run_id,
            "{model}": request.model.ref,
        }
        own = {name: _filled(value, marks) for name, value in given.items()}
        model = replace(request.model, headers={**request.model.headers, **own})
        return replace(request, model=model)

    return lambda request, signal: stream(changed(request), signal)


def _filled(value: str, marks: Mapping[str, str]) -> str:
    for mark, text in marks.items():
        value = value.replace(mark, text)
    return _UNSAFE.sub("", value)
