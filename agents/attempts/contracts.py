"""What the attempt loop asks of whoever owns the turn: models, credentials, records, context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.core.attempts import Step
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage
from agents.core.model import ModelInfo, ModelRequest


@dataclass(frozen=True, slots=True)
class Slot:
    """One way to call a model: the model with a credential in it.

    `refreshable`: its token can be renewed. `rests` is set while the credential takes a rest for
    this model and says why, in a sentence for people.
    """

    model: ModelInfo
    refreshable: bool = False
    rests: ProviderError | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One model of the chain. `slots` are in the order to try; resting ones come last.

    `problem` is set when it cannot be called at all (an unknown model, no credential).
    `pinned`: a person chose the credential of the first slot; no other may be tried.
    """

    ref: str
    slots: Sequence[Slot] = ()
    problem: ProviderError | None = None
    pinned: bool = False

    @property
    def usable(self) -> list[Slot]:
        """The slots that do not rest."""
        return [slot for slot in self.slots if slot.rests is None]


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A call that failed, and what is done about it."""

    slot: Slot
    number: int
    message: AssistantMessage
    error: ProviderError
    step: Step


class AttemptHost(Protocol):
    """The owner of the turn. Nothing here may raise for what a service or a person does.

    All of it is asked only after a failure, except `candidate` (once for each model that is
    tried), `ready`, `reserve` and `succeeded`.
    """

    async def candidate(self, index: int) -> Candidate | None:
        """The model at `index` of the chain (0 is the one that was asked for); None at its end."""
        ...

    async def later(self, index: int, request: ModelRequest) -> Sequence[tuple[int, int]]:
        """(index, context window) of the models behind `index` that can do what `request` needs."""
        ...

    async def may_probe(self, slot: Slot, *, first: bool) -> bool:
        """Whether a resting slot may be tried once all the same. `first`: the chain's first."""
        ...

    async def ready(self, slot: Slot) -> Slot | ProviderError:
        """The slot with a token that holds for this call."""
        ...

    async def refresh(self, slot: Slot) -> Slot | ProviderError:
        """The slot with a token renewed by force."""
        ...

    async def rebuild(self, model: ModelInfo, *, repaired: bool) -> ModelRequest:
        """The request anew, for this model; `repaired` leaves out all earlier reasoning."""
        ...

    async def reserve(self, request: ModelRequest) -> str:
        """ "" when the call may be made, else why no budget allows it."""
        ...

    async def succeeded(self, slot: Slot, message: AssistantMessage, attempt: int) -> None:
        """The call is answered."""
        ...

    async def failed(self, attempt: FailedAttempt, *, opens_next: bool) -> None:
        """Records the failed call; with `opens_next` another one will follow."""
        ...

    async def amend(self, step: Step) -> None:
        """The step of the newest failed call is this one after all."""
        ...

    async def rest(self, slot: Slot, error: ProviderError) -> None:
        """The credential of the slot is left because of `error`: it takes a rest if it should."""
        ...

    async def warn(self, text: str) -> None:
        """A sentence for whoever looks at the run."""
        ...

    async def compact(self, request: ModelRequest, error: ProviderError) -> bool:
        """Whether a summary made the next request shorter."""
        ...

    async def truncate(self, request: ModelRequest) -> bool:
        """Whether cutting tool results made the next request shorter."""
        ...
