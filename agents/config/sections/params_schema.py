"""Settings that go into the requests of models, wherever the document states them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator

from agents.providers.wrappers.compose import entry_name
from agents.providers.wrappers.registry import STREAM_WRAPPERS

RETENTIONS = ("none", "short", "long")
_CAPS = ("maxTokens", "max_tokens")
# RFC 9110 5.6.2: what the name of a header is made of.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")


def _wrapper(entry: Any) -> Any:
    name = entry_name(entry)
    if not name:
        raise ValueError(_("must be a name, or an object with a name and options"))
    if name not in STREAM_WRAPPERS:
        values = {"name": name, "known": ", ".join(STREAM_WRAPPERS.names())}
        raise ValueError(_("there is no wrapper %(name)s; there are: %(known)s") % values)
    return entry


# The wrappers that a model's calls pass through, the outermost first.
Wrappers = list[Annotated[str | dict[str, Any], BeforeValidator(_wrapper)]]


def _params(params: Mapping[str, Any]) -> Mapping[str, Any]:
    retention = params.get("cacheRetention")
    if retention is not None and retention not in RETENTIONS:
        text = _("cacheRetention must be one of: %(known)s")
        raise ValueError(text % {"known": ", ".join(RETENTIONS)})
    _numbers(params)
    wrappers = params.get("wrappers", [])
    if not isinstance(wrappers, list):
        raise ValueError(_("wrappers must be a list"))
    for entry in wrappers:
        _wrapper(entry)
    return params


def _numbers(params: Mapping[str, Any]) -> None:
    heat = params.get("temperature")
    is_number = isinstance(heat, int | float) and not isinstance(heat, bool)
    if heat is not None and not (is_number and math.isfinite(heat) and heat >= 0):
        raise ValueError(_("temperature must be a number from 0 on"))
    for name in _CAPS:
        cap = params.get(name)
        if cap is not None and (not isinstance(cap, int) or isinstance(cap, bool) or cap < 1):
            raise ValueError(_("%(name)s must be a whole number from 1 on") % {"name": name})


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER_NAME.match(name):
            raise ValueError(_("%(name)s cannot be the name of a header") % {"name": repr(name)})
        if not value.isascii() or not value.isprintable():
            text = _("the value of %(name)s holds a line break or is not ASCII")
            raise ValueError(text % {"name": name})
    return headers


# What HTTP can carry; a header that it cannot would fail every call.
Headers = Annotated[dict[str, str], AfterValidator(_headers)]
Params = Annotated[dict[str, Any], AfterValidator(_params)]
