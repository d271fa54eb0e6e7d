"""Providers and models of the configuration, as rows hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from agents.catalog.entry import WindowSource
from agents.catalog.known import KNOWN_MODELS, RESPONSES_API, over_responses
from agents.config.redaction import unseal
from agents.config.sections.models_schema import api_spoken
from agents.config.selectors import value_resolve
from agents.core.errors import UserError
from agents.core.model import ModelInfo, Price, PriceTier
from agents.models import AuthProfile, Provider
from agents.providers.bedrock.credentials import AwsCredentials, credentials_pack

log = structlog.get_logger(__name__)

AWS_SDK = "aws-sdk"


def stored_keys() -> dict[str, str]:
    """The first credential of each provider that can be decrypted.

    They are read one by one: a row that was encrypted with another key must not make the others
    unusable.
    """
    profiles = AuthProfile.objects.filter(enabled=True)
    result: dict[str, str] = {}
    for key, provider, mode in profiles.values_list("pk", "provider", "mode"):
        if provider in result:
            continue
        try:
            if found := _stored_key(key, mode):
                result[provider] = found
        except UserError:
            log.error("credential_unreadable", provider=provider, credential=key)
    return result


def _stored_key(key: int, mode: str) -> str:
    secret, refresh, data = AuthProfile.objects.values_list("secret", "refresh", "data").get(pk=key)
    if mode == AuthProfile.Mode.AWS:
        return credentials_pack(data, secret)
    return secret or refresh


def key_of(row: Provider | None, key: str) -> str:
    """The stored key of a provider, which may be a reference to a variable.

    `key` is that of its credential. A row that says `auth: aws-sdk` has AWS's chain in its place.
    """
    if row is None or key:
        return key
    reference = row.settings.get("apiKey")
    if isinstance(reference, dict) and reference.get("source") == "env":
        return "${" + str(reference.get("id")) + "}"
    if row.settings.get("auth") == AWS_SDK:
        return AwsCredentials().packed()
    return ""


def template_of(template: ModelInfo, row: Provider) -> ModelInfo:
    """`template` with what the row says of all its models."""
    return replace(
        template,
        headers=value_resolve(unseal(row.headers)),
        params=_params(row),
        timeout_seconds=float(row.timeout_seconds or template.timeout_seconds),
    )


def _params(row: Provider) -> dict[str, Any]:
    """The settings of all its requests; the provider's wrappers are one of them."""
    settings = unseal(row.settings)
    wrappers = value_resolve(settings.get("wrappers"))
    own = {} if wrappers is None else {"wrappers": wrappers}
    return {**own, **settings.get("params", {})}


def listed_models(
    template: ModelInfo, row: Provider, *, key_is_foreign: bool = False
) -> tuple[dict[str, ModelInfo], dict[str, WindowSource]]:
    """The models that the row lists by id, and where the windows of some are stated.

    With `key_is_foreign` the key is not the row's: then no model's own address is used, for it
    must not be sent to places that its owner did not name.
    """
    rows: list[dict[str, Any]] = value_resolve(unseal(row.catalog))
    models = {str(item["id"]): _model(template, item) for item in rows}
    if key_is_foreign:
        models = {key: replace(m, base_url=template.base_url) for key, m in models.items()}
    return models, {str(item["id"]): source for item in rows if (source := _window_source(item))}


def _window_source(item: Mapping[str, Any]) -> WindowSource | None:
    if item.get("contextTokens"):
        return "contextTokens"
    return "contextWindow" if item.get("contextWindow") else None


def _model(template: ModelInfo, item: Mapping[str, Any]) -> ModelInfo:
    """A model of the configuration document; what it leaves out comes from what is known."""
    model_id = str(item["id"])
    known = KNOWN_MODELS.get(template.provider, {}).get(model_id)
    base = reached(template, known) if known else replace(template, id=model_id)
    cost = item.get("cost")
    window = item.get("contextTokens") or item.get("contextWindow")
    return replace(
        base,
        api=api_spoken(item.get("api") or base.api),
        base_url=item.get("baseUrl") or base.base_url,
        name=item.get("name") or base.name,
        context_window=window or base.context_window,
        max_tokens=item.get("maxTokens") or base.max_tokens,
        input=tuple(item.get("input") or base.input),
        reasoning=item.get("reasoning", base.reasoning),
        price=_price(cost) if cost is not None else base.price,
        compat={**base.compat, **item.get("compat", {})},
        params={**base.params, **item.get("params", {})},
        headers={**base.headers, **item.get("headers", {})},
    )


def _price(cost: Mapping[str, Any]) -> Price:
    tiers = sorted(cost.get("tieredPricing") or (), key=lambda tier: tier["range"][0])
    # A tier from the first token on says the same as the cost itself, and wins over it.
    first = tiers[0] if tiers and tiers[0]["range"][0] == 0 else cost
    return Price(
        *_rates(first),
        known=True,
        tiers=tuple(
            PriceTier(tier["range"][0], *_rates(tier)) for tier in tiers if tier is not first
        ),
    )


def _rates(cost: Mapping[str, Any]) -> tuple[float, float, float, float]:
    return (
        cost.get("input", 0),
        cost.get("output", 0),
        cost.get("cacheRead", 0),
        cost.get("cacheWrite", 0),
    )


def reached(template: ModelInfo, known: ModelInfo) -> ModelInfo:
    """The known model, reached the way that `template` says."""
    if template.api == RESPONSES_API:
        known = over_responses(known)
    return replace(
        known,
        api=template.api,
        base_url=template.base_url,
        api_key=template.api_key,
        headers=template.headers,
        params={**known.params, **template.params},
        timeout_seconds=template.timeout_seconds,
    )
