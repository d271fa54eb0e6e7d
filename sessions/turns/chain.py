"""Which models a turn may ask, in order, and with which credentials."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.attempts.contracts import Candidate, Slot
from agents.catalog.known import REHEARSAL
from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import OpenClawError, ProviderError, ProviderReason
from agents.core.model import ModelInfo
from agents.credentials.credential import Credential, model_with, soonest_end
from agents.credentials.selectors import credentials_for
from agents.selectors import AgentSnapshot, agent_model
from sessions.budgets.limits import budgets_present
from sessions.turns.attempt_policy import attempt_policy
from sessions.turns.turn import Turn

_ALWAYS_REFUSED = ("auth", "auth_permanent", "billing")


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate and the credentials of its slots, by id."""

    candidate: Candidate
    credentials: dict[str, Credential] = field(default_factory=dict)


def chain_begin(turn: Turn) -> None:
    """Notes which models and credentials the turn may use, and whether a budget limits it.

    Reads only what is remembered in this process, as a rule.
    """
    if turn.snapshot is None or turn.model is None:
        return
    session = turn.session
    turn.found = candidate_of(
        model=turn.model,
        agent=session.agent_slug,
        profile=session.profile,
        pinned=session.profile_pinned,
    )
    turn.refs = chain_refs(wanted=turn.model.ref, snapshot=turn.snapshot)
    turn.policy = attempt_policy()
    turn.budgeted = budgets_present()
    if slots := turn.found.candidate.usable:
        turn.model = slots[0].model


def chain_refs(*, wanted: str, snapshot: AgentSnapshot) -> tuple[str, ...]:
    """The models to ask: `wanted`, the agent's fallbacks, at last the agent's own model.

    Each once. Fallbacks stand for the agent's own model: a message or session that asked for a
    model of another provider takes them only if it asked for one of them (runtime.md 2.13). The
    rehearsal never stands in for a real model unless it is named.
    """
    own = _canonical(default_model_ref(agent_model=snapshot.model))
    if wanted == own and not snapshot.fallbacks:
        return (wanted,)
    fallbacks = [_canonical(ref) for ref in snapshot.fallbacks]
    if wanted != own and wanted not in fallbacks and _provider(wanted) != _provider(own):
        fallbacks = []
    home = [] if own == REHEARSAL.ref else [own]
    return tuple(dict.fromkeys([wanted, *fallbacks, *home]))


def _canonical(ref: str) -> str:
    """provider/model for an alias or a bare name; what cannot be resolved stays as written."""
    try:
        return resolve_model(ref=ref).ref
    except OpenClawError:
        return ref


def _provider(ref: str) -> str:
    return ref.partition("/")[0].lower()


def candidate_find(*, ref: str, agent: str, profile: str = "", pinned: bool = False) -> Found:
    """The model `ref` with every credential for it. Never raises for what is configured wrongly."""
    try:
        model = agent_model(slug=agent, ref=ref)
    except OpenClawError as error:
        return Found(Candidate(ref, problem=ProviderError(error.message, reason="format")))
    return candidate_of(model=model, agent=agent, profile=profile, pinned=pinned)


def candidate_of(*, model: ModelInfo, agent: str, profile: str = "", pinned: bool = False) -> Found:
    """The resolved `model` with every credential for it, the preferred one first."""
    found = credentials_for(model=model, agent=agent, preferred=profile, pinned=pinned)
    if not found:
        text = _("There is no credential for %(provider)s that %(agent)s may use.")
        problem = ProviderError(text % {"provider": model.provider, "agent": agent}, reason="auth")
        return Found(Candidate(model.ref, problem=problem))
    slots = tuple(_slot(model, credential) for credential in found)
    held = pinned and found[0].id == profile
    return Found(Candidate(model.ref, slots, pinned=held), {one.id: one for one in found})


def _slot(model: ModelInfo, credential: Credential) -> Slot:
    return Slot(
        model_with(model, credential),
        refreshable=credential.refreshable,
        rests=None if credential.usable else _resting(model, credential),
    )


def _resting(model: ModelInfo, credential: Credential) -> ProviderError:
    """Why a credential is not used now, and when it is again."""
    reason: ProviderReason = credential.reason or "rate_limit"  # type: ignore[assignment]
    values = {"model": model.ref, "profile": credential.id, "reason": reason}
    end = soonest_end([credential])
    if end is None:
        text = _(
            "%(model)s: the credential %(profile)s was refused (%(reason)s) until it is edited."
        )
        return ProviderError(text % values, reason=reason)
    seconds = max(0.0, (end - timezone.now()).total_seconds())
    text = _("%(model)s: the credential %(profile)s rests until %(end)s UTC (%(reason)s).")
    error = ProviderError(text % {**values, "end": f"{end:%H:%M:%S}"}, reason=reason)
    error.retry_after = seconds
    return error


def is_worth_probing(reason: str) -> bool:
    """Whether what made a credential rest may be over before its time."""
    return reason not in _ALWAYS_REFUSED
