"""The methods of the gateway: name, params, right, handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from agents.core.registry import Registry
from channels_app.gateway.validation import Params

if TYPE_CHECKING:
    from channels_app.gateway.call import Call

P = TypeVar("P", bound=Params)
Handler = Callable[["Call", P], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Method(Generic[P]):
    """One method. `scope` empty: every connection may call it.

    The handler returns the payload of the answer, or ANSWERED when it has answered itself.
    """

    name: str
    scope: str
    params: type[P]
    handler: Handler[P]


class _Answered:
    """The type of ANSWERED."""


ANSWERED = _Answered()
METHODS: Registry[Method[Any]] = Registry("gateway method")


def method(name: str, params: type[P], *, scope: str) -> Callable[[Handler[P]], Method[P]]:
    """Makes a handler a method; an app registers its dotted path in METHODS."""

    def make(handler: Handler[P]) -> Method[P]:
        return Method(name, scope, params, handler)

    return make
