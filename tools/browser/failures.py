"""Errors of Playwright as sentences for a model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from agents.core.errors import ToolError
from agents.core.untrusted import one_line

T = TypeVar("T")

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# `Locator.click: Timeout 1000ms exceeded.`
_METHOD = re.compile(r"\A[A-Z]\w+\.\w+: ")
_LONGEST = 400


@contextmanager
def explained(what: str, *, shown: bool = True) -> Iterator[None]:
    """Turns what Playwright raises into ToolError. `what` is the thing that was tried.

    `shown`: a page is open, so that the text may be of its making; then it is marked so.
    """
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        details = {"externalContent": {"untrusted": True, "source": "browser"}} if shown else {}
        raise ToolError(f"{what}: {failure_text(str(error))}", details=details) from error
    except TimeoutError as error:
        raise ToolError(f"{what}: took too long.") from error


def failure_text(text: str) -> str:
    """The first line of an error; a page may have its share in it, so it is neutralised."""
    plain = _METHOD.sub("", _COLOUR.sub("", text).strip())
    first, _, rest = plain.partition("\n")
    covered = next((line for line in rest.splitlines() if "intercepts pointer events" in line), "")
    return one_line(f"{first} {covered.strip(' -')}".strip(), _LONGEST)


async def soon(work: Awaitable[T], default: T, *, seconds: float = 2.0) -> T:
    """What a page says of itself, `default` when it does not answer: its programs may hang."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, Error):
        return default
