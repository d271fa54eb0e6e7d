"""Methods of the WebSocket protocol that plugins bring."""

from __future__ import annotations

from inspect import isclass, iscoroutinefunction
from typing import Any

from pydantic import BaseModel

from agents.core.principal import ALL_SCOPES
from agents.plugins.api import MethodOffer
from agents.plugins.sinks import Undo, registry_sink
from channels_app.gateway.registry import METHODS, Method


def method_take(plugin: str, name: str, offer: MethodOffer) -> Undo:
    """Adds a method. Its name begins with the plugin's id and a full stop, so that it can never be
    one of the product's own. Raises ValueError that names what is wrong.
    """
    if not name.startswith(f"{plugin}."):
        raise ValueError(f"The gateway method {name!r} must be called {plugin}.… like its plugin.")
    if not (isclass(offer.params) and issubclass(offer.params, BaseModel)):
        raise ValueError(f"The params of the gateway method {name!r} must be a pydantic model.")
    if not iscoroutinefunction(offer.handler):
        raise ValueError(
            f"The handler of the gateway method {name!r} must be a coroutine function."
        )
    if offer.scope not in ALL_SCOPES:
        known = ", ".join(ALL_SCOPES)
        raise ValueError(f"The gateway method {name!r} needs one of the scopes {known}.")
    made: Method[Any] = Method(name, offer.scope, offer.params, offer.handler)
    return registry_sink(METHODS)(plugin, name, made)
