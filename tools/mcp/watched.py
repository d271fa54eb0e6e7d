"""A stream of answers that tells when it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class WatchedStream:
    """The stream `inner`; `ended` is called once when nothing more will come."""

    def __init__(self, inner: Any, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    def __aiter__(self) -> WatchedStream:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except StopAsyncIteration:
            self._ended()
            raise

    async def __aenter__(self) -> WatchedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._inner.__aexit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
