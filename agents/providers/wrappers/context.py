"""What a wrapper gets beside the stream that it wraps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

from agents.core.model import ModelEvent, StreamFn


def _unheard(kind: str, facts: Mapping[str, Any]) -> None:
    """Nobody listens to what wrappers report."""


@dataclass(frozen=True, slots=True)
class WrapperContext:
    """Whose calls are wrapped, and `options`: the wrapper's own entry in the settings.

    `report(kind, facts)` tells the run of something worth showing, such as a cache break. It must
    not raise and not block; facts are plain JSON values and never hold content.
    """

    agent: str = ""
    session_id: str = ""
    run_id: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    report: Callable[[str, Mapping[str, Any]], None] = _unheard


StreamWrapper = Callable[[StreamFn, WrapperContext], StreamFn]


def closing(
    events: AsyncIterator[ModelEvent],
) -> AbstractAsyncContextManager[AsyncIterator[ModelEvent]]:
    """A context that frees the wrapped stream when its reader stops early."""
    if hasattr(events, "aclose"):
        return cast(AbstractAsyncContextManager[AsyncIterator[ModelEvent]], aclosing(events))
    return nullcontext(events)
