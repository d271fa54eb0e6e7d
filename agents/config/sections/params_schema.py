"""Settings that go into the requests of models, wherever the document states them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator

from agents.providers.wrappers.compose import entry_name
from agents.providers.wrappers.registry import STREAM_WRAPPERS

RETENTIONS = ("none", "short", "long")


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
    wrappers = params.get("wrappers", [])
    if not isinstance(wrappers, list):
        raise ValueError(_("wrappers must be a list"))
    for entry in wrappers:
        _wrapper(entry)
    return params


Params = Annotated[dict[str, Any], AfterValidator(_params)]
