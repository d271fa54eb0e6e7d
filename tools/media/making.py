"""Has something made: one way after the other, until one gives it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError, ToolError
from agents.credentials.services import credential_failed, credential_succeeded
from agents.database import run_db
from tools.media.choice import MediaSlot
from tools.web.abortable import abortable

M = TypeVar("M")
R = TypeVar("R")

# Failures of an order itself: every other service would be paid for the same refusal.
_OF_THE_ORDER = frozenset({"format", "context_overflow", "aborted"})
# Failures that are no fault of a credential.
_NOBODYS = frozenset({"format", "context_overflow", "aborted", "empty_response", "unclassified"})


async def first_made(
    slots: Sequence[MediaSlot[M]],
    make: Callable[[MediaSlot[M]], Awaitable[R]],
    *,
    seconds: float,
    signal: AbortSignal,
) -> tuple[R, MediaSlot[M]]:
    """What the first slot gives that gives anything, and that slot.

    Each has `seconds`. Raises ToolError with what the last one complained of.
    """
    failure = ""
    for slot in slots:
        try:
            made = await abortable(_in_time(make(slot), seconds), signal)
        except TimeoutError:
            # The service may well go on and be paid; asking another one would cost twice.
            text = f"{slot.model.ref} did not answer within {seconds:g} seconds (timeoutMs)."
            raise ToolError(text) from None
        except ProviderError as error:
            failure = error.message
            await _note_failure(slot, error)
            if error.reason in _OF_THE_ORDER:
                break
            continue
        if slot.credential is not None:
            await run_db(credential_succeeded, credential=slot.credential.id, model=slot.model.id)
        return made, slot
    raise ToolError(f"It could not be made: {failure or 'there is no service to ask'}")


async def _in_time(work: Awaitable[R], seconds: float) -> R:
    async with asyncio.timeout(seconds):
        return await work


async def _note_failure(slot: MediaSlot[M], error: ProviderError) -> None:
    credential = slot.credential
    if credential is None or credential.kind == "none" or error.reason in _NOBODYS:
        return
    await run_db(
        credential_failed,
        credential=credential.id,
        model=slot.model.id,
        reason=error.reason,
        message=error.message,
        retry_after=error.retry_after,
        key=credential.key,
    )
