"""The attempts of one turn: where its models, credentials, budgets and records come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agents.attempts.contracts import Candidate, FailedAttempt, Slot
from agents.core.attempts import Step, Stop
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage
from agents.core.model import ModelInfo, ModelRequest
from agents.credentials.credential import Credential, model_with
from agents.credentials.refresh import credential_renewed, is_due
from agents.credentials.services import credential_failed, credential_probe
from agents.database import run_db
from sessions.budgets.services import budget_reserve, budget_settle
from sessions.failpoints import failpoint
from sessions.turns.abilities import can_serve, tokens_needed
from sessions.turns.attempt_records import attempt_amend, model_columns
from sessions.turns.chain import candidate_find, is_worth_probing
from sessions.turns.listener import TurnListener, call_outcome
from sessions.turns.request import TurnRequest
from sessions.turns.turn import Turn

if TYPE_CHECKING:
    from sessions.context.turn_context import TurnContext

# Faults of one request or of nobody's key: no credential rests because of them.
_NOBODYS_FAULT = frozenset({
    "format", "context_overflow", "aborted", "budget", "session_expired", "empty_response",
    "unclassified",
})  # fmt: skip


class TurnAttempts:
    """The AttemptHost of a turn, or of a summary made for it (see `asking`).

    Belongs to one event loop. Raises LeaseLostError from whatever it records, and nothing else.
    """

    # What the calls are for, as their rows say it.
    purpose = "turn"

    def __init__(
        self,
        turn: Turn,
        listener: TurnListener,
        request: TurnRequest | None,
        context: TurnContext | None,
    ) -> None:
        self.turn = turn
        self.attempt = 1
        self.found, self.refs = turn.found, turn.refs
        # What the row of the call that ended last gets, beside its outcome.
        self.columns: dict[str, Any] = {}
        self._listener = listener
        self._request = request
        self._context = context
        self._failed_number = 0
        self._candidates: dict[int, Candidate] = {}
        self._credentials: dict[str, Credential] = {}
        self._probed: set[str] = set()

    async def candidate(self, index: int) -> Candidate | None:
        """The model at `index`; the first was looked up when the turn began."""
        if index in self._candidates:
            return self._candidates[index]
        turn = self.turn
        if index == 0 and self.found is not None:
            found = self.found
        elif index < len(self.refs):
            found = await run_db(
                candidate_find,
                ref=self.refs[index],
                agent=turn.session.agent_slug,
                profile=turn.session.profile,
                pinned=turn.session.profile_pinned,
            )
        else:
            return None
        self._credentials |= found.credentials
        self._candidates[index] = found.candidate
        return found.candidate

    async def later(self, index: int, request: ModelRequest) -> Sequence[tuple[int, int]]:
        """The models further down that have a credential and can do what the request needs."""
        result: list[tuple[int, int]] = []
        tokens = tokens_needed(request)
        for number in range(index + 1, len(self.refs)):
            candidate = await self.candidate(number)
            if candidate is None or candidate.problem is not None or not candidate.slots:
                continue
            model = candidate.slots[0].model
            if can_serve(model, request, tokens):
                result.append((number, model.context_window))
        return result

    async def may_probe(self, slot: Slot, *, first: bool) -> bool:
        """One try of a resting credential (runtime.md 2.13): the first model's near the end of
        its rest, others once a turn for each provider."""
        if slot.rests is None or not is_worth_probing(slot.rests.reason):
            return False
        model = slot.model
        if first:
            return bool(await run_db(credential_probe, credential=model.profile, model=model.id))
        if model.provider in self._probed:
            return False
        self._probed.add(model.provider)
        return True

    async def ready(self, slot: Slot) -> Slot | ProviderError:
        """The slot with a token that is not about to end; it is the turn's model from now on."""
        credential = self._credentials.get(slot.model.profile)
        if credential is not None and is_due(credential):
            found = await self._renewed(slot, credential)
            if isinstance(found, ProviderError):
                return found
            slot = found
        self.turn.model = slot.model
        return slot

    async def refresh(self, slot: Slot) -> Slot | ProviderError:
        """The slot with a new token."""
        credential = self._credentials.get(slot.model.profile)
        if credential is None:
            return ProviderError("The credential is not known any more.", reason="auth")
        return await self._renewed(slot, credential, force=True)

    async def _renewed(
        self, slot: Slot, old: Credential, *, force: bool = False
    ) -> Slot | ProviderError:
        try:
            credential = await credential_renewed(old, force=force)
        except ProviderError as error:
            return error
        self._credentials[credential.id] = credential
        return replace(slot, model=model_with(slot.model, credential))

    async def rebuild(self, model: ModelInfo, *, repaired: bool) -> ModelRequest:
        """The request anew for `model`, from the history as it is now."""
        if self._request is None:
            raise TypeError("without a history there is nothing to build a request from")
        request = await self._request.again(model, repaired=repaired)
        self._listener.request_changed(request)
        return request

    async def reserve(self, request: ModelRequest) -> str:
        """Holds what the call may cost at most, if any budget limits it."""
        turn = self.turn
        if not turn.budgeted:
            return ""
        output = request.max_tokens or request.model.max_tokens
        refusal: str = await run_db(
            budget_reserve,
            run_id=turn.run.pk,
            number=self._listener.open_number,
            agent=turn.session.agent_slug,
            person=turn.principal.id,
            model=request.model,
            input_tokens=tokens_needed(request),
            output_tokens=output,
        )
        return refusal

    async def succeeded(self, slot: Slot, message: AssistantMessage, attempt: int) -> None:
        """Notes who answered; the rows follow with the answer."""
        self.turn.used[slot.model.profile, slot.model.id] = self._listener.asked_at
        self.columns = {**model_columns(slot.model, self.attempt), "purpose": self.purpose}
        self._note()
        self.attempt = 1
        await self._settle(message)

    def _note(self) -> None:
        # The listener's own call is that of the turn; the asker of a summary takes `columns`.
        if self.purpose == "turn":
            self._listener.call_note(self.columns)

    async def failed(self, attempt: FailedAttempt, *, opens_next: bool) -> None:
        """A row for the failed call with its class and what follows. The last one's row is
        closed together with the end of the run."""
        step, model = attempt.step, attempt.slot.model
        self.columns = {
            **model_columns(model, self.attempt),
            "purpose": self.purpose,
            "action": step.name,
            "action_reason": step.because[:300],
        }
        await self._settle(attempt.message)
        if not opens_next:
            self._note()
            return
        outcome = call_outcome(attempt.message, attempt.error, self.turn)
        await self._listener.call_advance({**outcome, **self.columns}, self.attempt + 1)
        self._failed_number = self._listener.closed_number
        self.attempt += 1
        failpoint("between_attempts")

    async def _settle(self, message: AssistantMessage) -> None:
        if not self.turn.budgeted:
            return
        usage = message.usage
        await run_db(
            budget_settle,
            run_id=self.turn.run.pk,
            number=self._listener.open_number,
            usd=usage.cost.total,
            tokens=usage.total,
        )

    async def amend(self, step: Step) -> None:
        """Corrects what the newest failed call says; with Stop no further call will be made.

        Calls of a summary may have come after it.
        """
        if isinstance(step, Stop):
            self.withdraw()
        await run_db(
            attempt_amend,
            self.turn,
            number=self._failed_number,
            action=step.name,
            because=step.because,
        )

    def withdraw(self) -> None:
        """The call that was announced will not be made."""
        self._listener.call_withdraw()

    async def rest(self, slot: Slot, error: ProviderError) -> None:
        """Marks the credential, unless the fault is none of its own or it is none at all."""
        credential = self._credentials.get(slot.model.profile)
        if error.reason in _NOBODYS_FAULT or credential is None or credential.kind == "none":
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
        # Other models may be called with the same credential: theirs are looked up anew.
        self._candidates.clear()

    async def warn(self, text: str) -> None:
        """Kept with the run."""
        self.turn.warnings.append(text)

    async def compact(self, request: ModelRequest, error: ProviderError) -> bool:
        """A summary of the older history, asked of the same chain."""
        if self._context is None or self._request is None:
            return False
        return await self._context.compact(
            self._request.history,
            model=request.model,
            trigger="overflow",
            observed_tokens=error.observed_tokens,
        )

    async def truncate(self, request: ModelRequest) -> bool:
        """Shorter tool results in what is sent."""
        if self._context is None or self._request is None:
            return False
        return await self._context.truncate(self._request.history, model=request.model)
