"""Puts providers and their models together: environment over database over built-in."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

import structlog
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.catalog.environment import (
    ENVIRONMENT_KEYS,
    OFFICIAL_ADDRESSES,
    environment_provider,
)
from agents.catalog.known import ANTHROPIC_API, KNOWN_MODELS, OPENAI_API, REHEARSAL
from agents.catalog.ollama import NAME as OLLAMA
from agents.catalog.ollama import ollama_address
from agents.config.documents import documents
from agents.config.redaction import unseal
from agents.config.selectors import text_resolve, value_resolve
from agents.config.substitution import references
from agents.core.errors import UserError
from agents.core.model import ModelInfo, Price
from agents.models import AuthProfile, Provider

log = structlog.get_logger(__name__)

Source = Literal["environment", "database", "local", "built-in"]

_VENDOR_APIS = {"anthropic": ANTHROPIC_API, "openai": OPENAI_API}
_KEY_HEADERS = ("authorization", "x-api-key", "api-key")
_KEY_NOT_SET = gettext_lazy(
    "The API key of %(name)s is in the environment variable %(keys)s, which is not set."
)
_MISSING_KEY = gettext_lazy(
    "The provider %(name)s has no API key. Set it in models.providers.%(name)s.apiKey or as a "
    "credential in the administration."
)
_MISSING_KEY_OF_VENDOR = gettext_lazy(
    "The provider %(name)s has no API key. Set %(variable)s, or add it in "
    "models.providers.%(name)s.apiKey or as a credential in the administration."
)


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One provider as it can be called. `template` is what each of its models starts from.

    `problem` says what is missing before it can be used, "" when nothing is. With `is_open` a
    model that is not listed can be asked for as well.
    """

    name: str
    template: ModelInfo
    source: Source
    models: Mapping[str, ModelInfo] = field(default_factory=dict)
    problem: str = ""
    is_open: bool = True


def providers_build() -> dict[str, ProviderEntry]:
    """Every provider by name, usable or not; Ollama's models are not part of it."""
    rows = {row.name: row for row in Provider.objects.filter(enabled=True).order_by("id")}
    keys = _keys()
    merge = documents().get("models", {}).get("mode", "merge") == "merge"
    result: dict[str, ProviderEntry] = {}
    for name in _VENDOR_APIS:
        result[name] = _vendor(name, rows.pop(name, None), keys.get(name, ""), merge=merge)
    for name, row in rows.items():
        result[name] = _stored(row, keys.get(name, ""))
    for name, content in documents().get("models", {}).get("providers", {}).items():
        result.setdefault(name, _unusable(name, str(content.get("api", ""))))
    result.setdefault(OLLAMA, _ollama())
    result[REHEARSAL.provider] = ProviderEntry(
        name=REHEARSAL.provider,
        template=REHEARSAL,
        source="built-in",
        models={REHEARSAL.id: REHEARSAL},
        is_open=False,
    )
    return result


def _keys() -> dict[str, str]:
    """The first credential of each provider that can be decrypted.

    They are read one by one: a row that was encrypted with another key must not make the others
    unusable.
    """
    profiles = AuthProfile.objects.filter(enabled=True).exclude(secret="")
    result: dict[str, str] = {}
    for key, provider in profiles.values_list("pk", "provider"):
        if provider in result:
            continue
        try:
            result[provider] = AuthProfile.objects.values_list("secret", flat=True).get(pk=key)
        except UserError:
            log.error("credential_unreadable", provider=provider, credential=key)
    return result


def _vendor(name: str, row: Provider | None, key: str, *, merge: bool) -> ProviderEntry:
    """A vendor whose own service is known: from the environment, a row, or just a credential.

    A key of the environment goes to the environment's address or the vendor's own, never to the
    one that the row names: it may be somebody else's.
    """
    environment = environment_provider(name)
    raw_key = environment.api_key or _key_raw(key, row)
    row_address = text_resolve(row.base_url) if row and not environment.api_key else ""
    template = ModelInfo(
        provider=name,
        id="",
        api=row.api if row and row_address else _VENDOR_APIS[name],
        base_url=environment.base_url or row_address or OFFICIAL_ADDRESSES[name],
        api_key=environment.api_key or text_resolve(raw_key),
    )
    is_elsewhere = template.base_url == row_address != OFFICIAL_ADDRESSES[name]
    listed = {}
    if row is not None:
        template = _with_row(template, row)
        listed = _row_models(template, row)
    known = KNOWN_MODELS[name] if not is_elsewhere and (merge or row is None) else {}
    merged = {model_id: _merged(template, info) for model_id, info in known.items()}
    return ProviderEntry(
        name=name,
        template=template,
        source="environment" if environment.api_key or environment.base_url else "database",
        models=listed | {key: value for key, value in merged.items() if key not in listed},
        problem=_key_problem(template, raw_key),
        is_open=not (is_elsewhere and listed),
    )


def _stored(row: Provider, key: str) -> ProviderEntry:
    raw_key = _key_raw(key, row)
    template = ModelInfo(
        provider=row.name,
        id="",
        api=row.api,
        base_url=text_resolve(row.base_url),
        api_key=text_resolve(raw_key),
    )
    template = _with_row(template, row)
    models = _row_models(template, row)
    return ProviderEntry(
        name=row.name,
        template=template,
        source="database",
        models=models,
        problem=_key_problem(template, raw_key),
        is_open=not models,
    )


def _ollama() -> ProviderEntry:
    address = ollama_address()
    template = ModelInfo(
        provider=OLLAMA, id="", api=OPENAI_API, base_url=f"{address}/v1", context_window=32_768
    )
    return ProviderEntry(name=OLLAMA, template=template, source="local")


def _unusable(name: str, api: str) -> ProviderEntry:
    text = _("The provider %(name)s speaks %(api)s, which this version cannot.")
    template = ModelInfo(provider=name, id="", api=api)
    return ProviderEntry(name, template, "database", problem=text % {"name": name, "api": api})


def _key_raw(key: str, row: Provider | None) -> str:
    """The stored key, which may be a reference to a variable."""
    reference = row.settings.get("apiKey") if row is not None else None
    if not key and isinstance(reference, dict) and reference.get("source") == "env":
        return "${" + str(reference.get("id")) + "}"
    return key


def _with_row(template: ModelInfo, row: Provider) -> ModelInfo:
    return replace(
        template,
        headers=value_resolve(unseal(row.headers)),
        params=row.settings.get("params", {}),
        timeout_seconds=float(row.timeout_seconds or template.timeout_seconds),
    )


def _row_models(template: ModelInfo, row: Provider) -> dict[str, ModelInfo]:
    rows: list[dict[str, Any]] = value_resolve(unseal(row.catalog))
    return {str(item["id"]): _row_model(template, item) for item in rows}


def _row_model(template: ModelInfo, item: Mapping[str, Any]) -> ModelInfo:
    """A model of the configuration document; what it leaves out comes from what is known."""
    model_id = str(item["id"])
    known = KNOWN_MODELS.get(template.provider, {}).get(model_id)
    base = _merged(template, known) if known else replace(template, id=model_id)
    cost = item.get("cost")
    window = item.get("contextTokens") or item.get("contextWindow")
    return replace(
        base,
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


def _price(cost: Mapping[str, float]) -> Price:
    return Price(
        input=cost.get("input", 0),
        output=cost.get("output", 0),
        cache_read=cost.get("cacheRead", 0),
        cache_write=cost.get("cacheWrite", 0),
        known=True,
    )


def _merged(template: ModelInfo, known: ModelInfo) -> ModelInfo:
    """The known model, reached the way that `template` says."""
    return replace(
        known,
        api=template.api,
        base_url=template.base_url,
        api_key=template.api_key,
        headers=template.headers,
        params={**known.params, **template.params},
        timeout_seconds=template.timeout_seconds,
    )


def _key_problem(template: ModelInfo, raw_key: str) -> str:
    """What to set before the provider can be used. Services close by may need no key."""
    if template.api_key or any(name.lower() in _KEY_HEADERS for name in template.headers):
        return ""
    values = {
        "name": template.provider,
        "variable": ENVIRONMENT_KEYS.get(template.provider, ""),
        "keys": ", ".join(references(raw_key)),
    }
    if raw_key:
        return _KEY_NOT_SET % values
    if _is_near(template.base_url):
        return ""
    if values["variable"]:
        return _MISSING_KEY_OF_VENDOR % values
    return _MISSING_KEY % values


def _is_near(base_url: str) -> bool:
    """Whether the address is on this machine or a private network, by its name alone."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host != "" and ("." not in host or host.endswith((".local", ".internal", ".lan")))
