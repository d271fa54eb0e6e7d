"""Where a turn stands in its chain of models and their credentials."""

from __future__ import annotations

from collections.abc import Sequence

from agents.attempts.contracts import AttemptHost, Candidate, Slot
from agents.core.attempts import attempts_limit
from agents.core.errors import ProviderError
from agents.core.model import ModelRequest


class Position:
    """The current model and credential of a turn. Belongs to one event loop."""

    def __init__(self, host: AttemptHost) -> None:
        self.index = 0
        self.slot: Slot | None = None
        self.pinned = False
        self.limit = attempts_limit(1)
        self._host = host
        self._waiting: list[Slot] = []

    @property
    def left(self) -> int:
        """How many usable credentials of the current model were not tried yet."""
        return len(self._waiting)

    async def current(self, request: ModelRequest) -> Slot | ProviderError:
        """The slot that answered last, or the first of the chain that can be called.

        The error of the first model when none can.
        """
        if self.slot is not None:
            return self.slot
        first = await self._enter(0)
        if isinstance(first, Slot):
            return first
        later = [index for index, _ in await self._host.later(0, request)]
        other = await self.move(later)
        if isinstance(other, Slot):
            await self._host.warn(f"{first.message} {other.model.ref} was asked instead.")
            return other
        return first

    def rotate(self) -> Slot:
        """Goes on to the next credential; there must be one `left`."""
        self.slot = self._waiting.pop(0)
        return self.slot

    async def move(self, indexes: Sequence[int]) -> Slot | ProviderError:
        """Goes on to the first of these models that can be called. The last error if none can."""
        error = ProviderError("There is no other model to ask.")
        for index in indexes:
            found = await self._enter(index)
            if isinstance(found, Slot):
                return found
            error = found
        return error

    async def _enter(self, index: int) -> Slot | ProviderError:
        candidate = await self._host.candidate(index)
        if candidate is None:
            return ProviderError("There is no other model to ask.")
        if candidate.problem is not None:
            return candidate.problem
        slots = await self._allowed(candidate, first=index == 0)
        if isinstance(slots, ProviderError):
            return slots
        self.index = index
        self.pinned = candidate.pinned
        self.limit = attempts_limit(len(candidate.slots))
        self.slot, *self._waiting = slots
        return self.slot

    async def _allowed(self, candidate: Candidate, *, first: bool) -> list[Slot] | ProviderError:
        """The slots that may be tried now: the usable ones, else one that may be probed."""
        if usable := candidate.usable:
            return usable
        for slot in candidate.slots:
            if await self._host.may_probe(slot, first=first):
                return [slot]
        resting = next((slot.rests for slot in candidate.slots if slot.rests), None)
        return resting or ProviderError(f"{candidate.ref}: there is no credential.", reason="auth")
