"""Which credentials a call may be made with, in the order in which to try them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.utils import timezone

from agents.core.model import ModelInfo
from agents.credentials.candidates import candidates
from agents.credentials.credential import Credential
from agents.credentials.states import state_of


def credentials_for(
    *, model: ModelInfo, agent: str, preferred: str = "", pinned: bool = False
) -> list[Credential]:
    """Every credential that `agent` may call `model` with: usable ones first, then resting ones
    by their soonest end, then those refused until edited. [] when there is none.

    `preferred` (an id) goes first while it is usable. With `pinned` a person chose it: it stays
    alone unless it is unusable and another is not. Costs no query when asked for often.
    """
    now = timezone.now()
    explicit = preferred if pinned else ""
    met = candidates(model=model, agent=agent, explicit=explicit)
    found = [with_state(one.credential, model, now) for one in met if one.verdict == "ok"]
    usable = sorted((one for one in found if one.usable), key=lambda one: one.id != preferred)
    if pinned and usable and usable[0].id == preferred:
        return usable[:1]
    return usable + sorted((one for one in found if not one.usable), key=_end)


def credential_after(*, model: ModelInfo, agent: str, current: str) -> str:
    """The id of the usable credential behind `current` in the order of its layer, round and round.

    `current` itself when there is no other, "" when it is not usable: then the first one is next.
    """
    usable = [one for one in credentials_for(model=model, agent=agent) if one.usable]
    layer = next((one.layer for one in usable if one.id == current), None)
    ids = [one.id for one in usable if one.layer == layer]
    return ids[(ids.index(current) + 1) % len(ids)] if ids else ""


def with_state(credential: Credential, model: ModelInfo, now: datetime) -> Credential:
    """The credential with what keeps it from calling `model` at `now`."""
    state = state_of(credential.id, model.id, credential.key, now)
    if state is None:
        return credential
    until = None if state.permanent else state.until
    return replace(credential, rests_until=until, reason=state.reason, permanent=state.permanent)


def _end(credential: Credential) -> tuple[bool, float]:
    until = credential.rests_until
    return credential.permanent, until.timestamp() if until else 0.0
