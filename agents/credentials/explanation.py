"""Which credential an agent would use for a model, and why none of the others, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.catalog.known_providers import KNOWN_PROVIDERS
from agents.catalog.resolve import catalog, default_model_ref, resolve_model
from agents.core.errors import NotFound, UserError
from agents.core.model import ModelInfo
from agents.credentials.candidates import Candidate, candidates
from agents.credentials.credential import Credential
from agents.credentials.selectors import credentials_for, with_state
from agents.credentials.states import last_used, states
from agents.credentials.vault import vault
from agents.models import Agent

Standing = Literal["used", "next", "rests", "refused", "passed"]

LAYERS: Mapping[int, Any] = {
    1: gettext_lazy("Chosen by a person"),
    2: gettext_lazy("Override of the provider"),
    3: gettext_lazy("Stored credentials"),
    4: gettext_lazy("Environment"),
    5: gettext_lazy("Key of the configuration"),
    6: gettext_lazy("AWS's own chain"),
    0: gettext_lazy("No key needed"),
}
_EMPTY: Mapping[int, Any] = {
    1: gettext_lazy("No credential is chosen."),
    2: gettext_lazy("models.providers.%(provider)s.auth decides nothing."),
    3: gettext_lazy("None is stored for %(provider)s."),
    4: gettext_lazy("%(variables)s is not set."),
    5: gettext_lazy("models.providers.%(provider)s.apiKey is not set."),
    6: gettext_lazy("Only for Claude on Bedrock."),
    0: gettext_lazy("This service needs one."),
}
_VERDICTS: Mapping[str, Any] = {
    "profile_missing": gettext_lazy("There is no credential of this name: add it, or correct it."),
    "provider_mismatch": gettext_lazy("It is for %(hint)s, not for this provider."),
    "mode_mismatch": gettext_lazy("models.providers.%(provider)s.auth admits only %(hint)s."),
    "missing_credential": gettext_lazy("Its secret is not set: put it in."),
    "invalid_expires": gettext_lazy("The end of its token is no time: correct expires."),
    "expired": gettext_lazy("Its token has ended and cannot be renewed: put in a new one."),
    "unresolved_ref": gettext_lazy("It refers to %(hint)s, which is not set."),
    "unreadable": gettext_lazy("Its secret was encrypted with a key that is gone: enter it anew."),
    "unsendable": gettext_lazy(
        "It holds a line break or a character that no key has: enter it anew."
    ),
    "disabled": gettext_lazy("It is switched off."),
    "other_agent": gettext_lazy("It is for the agent %(hint)s only."),
    "not_in_order": gettext_lazy("auth.order.%(provider)s does not name it."),
    "other_address": gettext_lazy(
        "%(hint)s is not sent to %(address)s: it was put in for another address."
    ),
    "overridden": gettext_lazy("models.providers.%(provider)s.auth says %(hint)s."),
}
REASONS: Mapping[str, Any] = {
    "rate_limit": gettext_lazy("too many requests"),
    "overloaded": gettext_lazy("the service is overloaded"),
    "timeout": gettext_lazy("no answer"),
    "model_not_found": gettext_lazy("the model was not found"),
    "auth": gettext_lazy("refused"),
    "auth_permanent": gettext_lazy("refused for good"),
    "billing": gettext_lazy("not paid"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One credential that was met. `ends` is when its rest ends, `message` the last error."""

    credential: Credential
    standing: Standing
    sentence: str
    ends: datetime | None = None
    used: datetime | None = None
    message: str = field(default="", repr=False)
    is_stored: bool = False
    enabled: bool = True

    @property
    def word(self) -> str:
        """The standing for people."""
        return {
            "used": _("used"),
            "next": _("ready"),
            "rests": _("rests"),
            "refused": _("refused"),
            "passed": _("passed over"),
        }[self.standing]


@dataclass(frozen=True, slots=True)
class Layer:
    """One step of the resolution; `note` says why it has no lines."""

    number: int
    title: str
    lines: Sequence[Line] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer: `sentence` says it in one, `layers` in the order in which they were asked."""

    agent: str
    model: str
    sentence: str
    layers: Sequence[Layer]
    winner: Credential | None = None


def credential_explain(*, model: str = "", agent: str = "", chosen: str = "") -> Explanation:
    """What `agent` (default: the default agent) would call `model` (default: its own) with.

    `chosen` is the id of a credential that a person picked. Raises NotFound for an unknown agent
    and UserError for a model whose provider is not known.
    """
    slug, ref = _agent(agent, model)
    info = _model(ref)
    now = timezone.now()
    met = candidates(model=info, agent=slug, explicit=chosen)
    usable = credentials_for(model=info, agent=slug, preferred=chosen, pinned=bool(chosen))
    winner = usable[0] if usable and usable[0].usable else None
    lines = [_line(one, info, now, winner) for one in met]
    layers = [_layer(number, info, lines) for number in LAYERS]
    layers = [layer for layer in layers if layer.lines or layer.number]
    return Explanation(slug, info.ref, _sentence(slug, info, usable, winner), layers, winner)


def _agent(agent: str, model: str) -> tuple[str, str]:
    rows = Agent.objects.order_by("-is_default", "id")
    row = rows.filter(slug=agent.lower()).first() if agent else rows.first()
    if row is None:
        raise NotFound(_("There is no agent %(id)s.") % {"id": agent or "main"})
    return row.slug, model or default_model_ref(agent_model=row.model)


def _model(ref: str) -> ModelInfo:
    """The model, also when it cannot be called: that is what is to be explained."""
    try:
        return resolve_model(ref=ref)
    except UserError:
        state = catalog()
        name, _slash, model_id = state.aliases.get(ref.lower(), ref).partition("/")
        entry = state.providers.get(name.lower())
        if entry is None or not model_id:
            raise
        return entry.models.get(model_id) or replace(entry.template, id=model_id)


def _layer(number: int, model: ModelInfo, lines: Sequence[Line]) -> Layer:
    own = [line for line in lines if line.credential.layer == number]
    known = KNOWN_PROVIDERS.get(model.provider)
    variables = (*known.keys, *known.shared_keys) if known else ()
    note = "" if own else str(_EMPTY[number])
    if number == 4 and not variables:
        note = _("No variable is known for %(provider)s.")
    values = {"provider": model.provider, "variables": ", ".join(variables)}
    return Layer(number, str(LAYERS[number]), own, note % values)


def _line(candidate: Candidate, model: ModelInfo, now: datetime, winner: Credential | None) -> Line:
    credential = with_state(candidate.credential, model, now)
    standing, sentence = _judged(candidate, credential, winner, model.base_url)
    stored = vault().by_name.get(credential.id)
    known = [states().get((credential.id, name)) for name in ("", model.id)]
    message = next((one.message for one in known if one and one.active(now)), "")
    return Line(
        credential=credential,
        standing=standing,
        sentence=sentence,
        ends=credential.rests_until,
        used=last_used(credential.id),
        message=message,
        is_stored=stored is not None,
        enabled=stored is None or stored.enabled,
    )


def _judged(
    candidate: Candidate, credential: Credential, winner: Credential | None, address: str
) -> tuple[Standing, str]:
    values = {"provider": credential.provider, "hint": candidate.hint, "address": address}
    if candidate.verdict != "ok":
        return "passed", str(_VERDICTS[candidate.verdict]) % values
    reason = str(REASONS.get(credential.reason, credential.reason))
    if credential.permanent:
        text = _("The service refused it (%(reason)s): put in another secret.")
        return "refused", text % {"reason": reason}
    if credential.rests_until is not None:
        return "rests", _("It takes a rest: %(reason)s.") % {"reason": reason}
    if winner is not None and credential.id == winner.id:
        return "used", _("It is the first that may be used.")
    return "next", _("It is asked when those before it fail.")


def _sentence(
    agent: str, model: ModelInfo, found: Sequence[Credential], winner: Credential | None
) -> str:
    values = {"agent": agent, "model": model.ref, "id": winner.id if winner else ""}
    if winner is not None:
        values["layer"] = str(LAYERS[winner.layer])
        skipped = [one for one in found if one is not winner and not one.usable]
        text = _("%(agent)s would call %(model)s with %(id)s, because it is the first usable one")
        return f"{text % values} ({values['layer']})." + (_resting(skipped) if skipped else "")
    if found:
        text = _("%(agent)s cannot call %(model)s now: every credential rests or is refused.")
        return text % values + _resting(found)
    return _("%(agent)s cannot call %(model)s: there is no credential for it.") % values


def _resting(found: Sequence[Credential]) -> str:
    names = ", ".join(one.id for one in found)
    return " " + _("Resting or refused: %(names)s.") % {"names": names}
