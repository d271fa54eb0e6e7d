"""The six layers: every credential that could be meant for a call, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, cast

from django.utils import timezone

from agents.catalog.problems import has_key_header
from agents.config.registry import section
from agents.core.addresses import address_is_near
from agents.core.model import ModelInfo
from agents.credentials.addresses import environment_fits, row_key_fits
from agents.credentials.credential import BEDROCK_API, Credential, CredentialKind
from agents.credentials.keys import (
    AWS,
    CONFIG,
    ENVIRONMENT,
    NONE,
    OAUTH_ENDING,
    credential_id,
    environment_key,
    reference_key,
)
from agents.credentials.refreshers import refreshable
from agents.credentials.states import last_used
from agents.credentials.vault import ProviderFacts, Stored, stored_key, vault

# The reference's codes (runtime.md 2.9) and those that our own rules add.
Verdict = Literal[
    "ok",
    "profile_missing",
    "provider_mismatch",
    "mode_mismatch",
    "missing_credential",
    "invalid_expires",
    "expired",
    "unresolved_ref",
    "unreadable",
    "unsendable",
    "disabled",
    "other_agent",
    "not_in_order",
    "other_address",
    "overridden",
]
EXPLICIT, OVERRIDE, STORE, ENVIRONMENT_LAYER, CONFIG_KEY, AWS_CHAIN, NO_KEY = 1, 2, 3, 4, 5, 6, 0
# Without an explicit order (runtime.md 2.9); AWS keys stand where API keys do.
_RANKS = {"oauth": 0, "token": 1, "api_key": 2, "aws": 2}
# Which kinds of credential `models.providers.<id>.auth` admits.
_ADMITTED = {
    "api-key": ("api_key",),
    "token": ("token",),
    "oauth": ("oauth", "token"),
    "aws-sdk": ("aws",),
}
_AWS_SDK = "aws-sdk"
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One credential that the resolution met. Only one with verdict "ok" may be used.

    `hint` completes the sentence about the verdict: a variable, an agent, an address.
    """

    layer: int
    verdict: Verdict
    credential: Credential
    hint: str = ""


def candidates(*, model: ModelInfo, agent: str | None, explicit: str = "") -> list[Candidate]:
    """Everything that was met, layer by layer; those with verdict "ok" in the order of use.

    `agent` None asks for any agent. `explicit` is the credential that a person chose.
    """
    facts = vault().providers.get(model.provider, ProviderFacts())
    found = [*_explicit(model, explicit), *_stored(model, agent, facts)]
    found += [*_environment(model, facts), *_config(model, facts), *_aws(model, facts)]
    overrides = [one for one in found if one.layer == OVERRIDE and one.verdict == "ok"]
    if facts.auth == _AWS_SDK and overrides:
        found = [one if one.layer <= OVERRIDE else _overridden(one) for one in found]
    if not any(one.verdict == "ok" for one in found):
        found += _none(model)
    return sorted(found, key=lambda one: one.layer if one.layer != NO_KEY else AWS_CHAIN + 1)


def _overridden(candidate: Candidate) -> Candidate:
    if candidate.verdict != "ok":
        return candidate
    return replace(candidate, verdict="overridden", hint=_AWS_SDK)


def _explicit(model: ModelInfo, name: str) -> Iterator[Candidate]:
    """Layer 1 says only what is wrong with the choice; a good one is met in its own layer."""
    stored = vault().by_name.get(name)
    if not name or name.partition(":")[0] in (ENVIRONMENT, CONFIG, AWS, NONE):
        return
    if stored is None:
        missing = Credential(name, model.provider, "api_key", EXPLICIT)
        yield Candidate(EXPLICIT, "profile_missing", missing)
    elif stored.provider != model.provider:
        credential = _credential(stored, EXPLICIT)
        yield Candidate(EXPLICIT, "provider_mismatch", credential, stored.provider)


def _stored(model: ModelInfo, agent: str | None, facts: ProviderFacts) -> Iterator[Candidate]:
    """Layer 3, and layer 2 or 5 for the key that the configuration holds."""
    order: Sequence[str] | None = section("auth").order.get(model.provider)
    rows = list(vault().by_provider.get(model.provider, ()))
    for name in order or ():
        if name not in vault().by_name:
            missing = Credential(name, model.provider, "api_key", STORE)
            yield Candidate(STORE, "profile_missing", missing)
        elif vault().by_name[name].provider != model.provider:
            other = vault().by_name[name]
            yield Candidate(STORE, "provider_mismatch", _credential(other, STORE), other.provider)
    for row in sorted(rows, key=lambda row: _place(row, agent, order)):
        layer = _layer(row, facts, order)
        verdict, hint = _judge(row, agent, facts)
        if verdict == "ok" and layer == STORE and order is not None and row.name not in order:
            verdict = "not_in_order"
        if verdict == "ok" and not row_key_fits(model.provider, facts.base_url, model.base_url):
            verdict, hint = "other_address", row.name
        yield Candidate(layer, verdict, _credential(row, layer), hint)


def _layer(row: Stored, facts: ProviderFacts, order: Sequence[str] | None) -> int:
    if not row.is_config_key or (order is not None and row.name in order):
        return STORE
    return OVERRIDE if facts.auth == "api-key" else CONFIG_KEY


def _place(row: Stored, agent: str | None, order: Sequence[str] | None) -> tuple[object, ...]:
    """Explicit order first; else one's own before shared ones, positions, kinds, oldest use."""
    index = order.index(row.name) if order is not None and row.name in order else 0
    own = bool(row.agent) and row.agent == agent
    used = last_used(row.name) or _NEVER
    return (index, not own, row.position, _RANKS.get(row.mode, 3), used, row.name)


def _judge(row: Stored, agent: str | None, facts: ProviderFacts) -> tuple[Verdict, str]:
    """What speaks against a stored credential, and the detail of it."""
    if not row.enabled:
        return "disabled", ""
    if row.agent and agent is not None and row.agent != agent:
        return "other_agent", row.agent
    if facts.auth and row.mode not in _ADMITTED.get(facts.auth, (row.mode,)):
        return "mode_mismatch", facts.auth
    if not row.readable:
        return "unreadable", ""
    is_set = bool(row.secret.strip())
    if not is_set and not refreshable(row) and row.mode != "aws":
        return "missing_credential", ""
    if row.mode == "aws" and row.data.get("accessKeyId") and not is_set:
        return "missing_credential", ""
    key = stored_key(row)
    if is_set and not key:
        return "unresolved_ref", row.secret
    return ("unsendable", "") if not _can_be_sent(key) else (_judge_end(row), "")


def _can_be_sent(key: str) -> bool:
    """Whether a header can hold it; no service gives out keys that it cannot hold."""
    return key.isascii() and key.isprintable()


def _judge_end(row: Stored) -> Verdict:
    """Whether the token has ended. One that can be renewed never has."""
    expires = row.data.get("expires")
    if expires is None or row.mode in ("api_key", "aws"):
        return "ok"
    is_number = isinstance(expires, int | float) and not isinstance(expires, bool)
    if not is_number or not math.isfinite(expires) or expires <= 0:
        return "ok" if refreshable(row) else "invalid_expires"
    ended = expires / 1000 <= timezone.now().timestamp()
    return "expired" if ended and not refreshable(row) else "ok"


def _credential(row: Stored, layer: int) -> Credential:
    kind = cast(CredentialKind, row.mode)
    key = stored_key(row)
    return Credential(
        row.name, row.provider, kind, layer, key, row.data, refreshable=refreshable(row)
    )


def _environment(model: ModelInfo, facts: ProviderFacts) -> Iterator[Candidate]:
    """Layer 4: the variables of the provider. AWS's own variables belong to its chain."""
    key, variable = environment_key(model.provider)
    if not key or (model.api == BEDROCK_API and not variable.startswith("AWS_BEARER")):
        return
    kind: CredentialKind = "oauth" if variable.endswith(OAUTH_ENDING) else "api_key"
    name = credential_id(ENVIRONMENT, model.provider)
    credential = Credential(name, model.provider, kind, ENVIRONMENT_LAYER, key)
    if not environment_fits(model.provider, model.base_url):
        yield Candidate(ENVIRONMENT_LAYER, "other_address", credential, variable)
    elif facts.auth and kind not in _ADMITTED.get(facts.auth, (kind,)):
        yield Candidate(ENVIRONMENT_LAYER, "mode_mismatch", credential, facts.auth)
    elif not _can_be_sent(key):
        yield Candidate(ENVIRONMENT_LAYER, "unsendable", credential, variable)
    else:
        yield Candidate(ENVIRONMENT_LAYER, "ok", credential, variable)


def _config(model: ModelInfo, facts: ProviderFacts) -> Iterator[Candidate]:
    """Layer 5 where the key is kept elsewhere: `apiKey: {source, provider, id}`."""
    if not facts.key_reference:
        return
    layer = OVERRIDE if facts.auth == "api-key" else CONFIG_KEY
    key = reference_key(model.provider)
    name = credential_id(CONFIG, model.provider)
    credential = Credential(name, model.provider, "api_key", layer, key)
    variable = str(facts.key_reference.get("id"))
    verdict: Verdict = "ok" if key else "unresolved_ref"
    if key and not row_key_fits(model.provider, facts.base_url, model.base_url):
        verdict = "other_address"
    elif not _can_be_sent(key):
        verdict = "unsendable"
    yield Candidate(layer, verdict, credential, variable)


def _aws(model: ModelInfo, facts: ProviderFacts) -> Iterator[Candidate]:
    """Layer 2 when the provider says so, else layer 6 for Bedrock: AWS's own chain."""
    if facts.auth != _AWS_SDK and (model.api != BEDROCK_API or facts.auth):
        return
    layer = OVERRIDE if facts.auth == _AWS_SDK else AWS_CHAIN
    name = credential_id(AWS, model.provider)
    yield Candidate(layer, "ok", Credential(name, model.provider, "aws", layer))


def _none(model: ModelInfo) -> Iterator[Candidate]:
    """Services close by, those whose key is a header, and the built-in one need no key."""
    if model.api == "rehearsal" or address_is_near(model.base_url) or has_key_header(model.headers):
        name = credential_id(NONE, model.provider)
        yield Candidate(NO_KEY, "ok", Credential(name, model.provider, "none", NO_KEY))
