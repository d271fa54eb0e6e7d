"""Puts providers and their models together: environment over database over built-in."""

from __future__ import annotations

from agents.catalog.entry import ProviderEntry, Source, WindowSource
from agents.catalog.environment import EnvironmentProvider, environment_provider
from agents.catalog.known import KNOWN_MODELS, REHEARSAL
from agents.catalog.known_providers import KNOWN_PROVIDERS, KnownProvider
from agents.catalog.ollama import API as OLLAMA_API
from agents.catalog.ollama import NAME as OLLAMA
from agents.catalog.ollama import WINDOW, ollama_address
from agents.catalog.problems import key_problem, unusable_api
from agents.catalog.rows import key_of, listed_models, reached, stored_keys, template_of
from agents.config.documents import documents
from agents.config.selectors import text_resolve
from agents.core.model import ModelInfo
from agents.credentials.vault import profiles_go_first
from agents.models import Provider


def providers_build() -> dict[str, ProviderEntry]:
    """Every provider by name, usable or not; Ollama's models are not part of it."""
    rows = {row.name: row for row in Provider.objects.filter(enabled=True).order_by("id")}
    keys = stored_keys()
    merge = documents().get("models", {}).get("mode", "merge") == "merge"
    result: dict[str, ProviderEntry] = {}
    for name, known in KNOWN_PROVIDERS.items():
        if name == OLLAMA:
            continue
        result[name] = _known(known, rows.pop(name, None), keys.get(name, ""), merge=merge)
    for name, row in rows.items():
        result[name] = _stored(row, keys.get(name, ""))
    for name, content in documents().get("models", {}).get("providers", {}).items():
        if name not in result or result[name].source != "environment":
            result[name] = _unusable(name, str(content.get("api", "")))
    result.setdefault(OLLAMA, _ollama())
    result[REHEARSAL.provider] = ProviderEntry(
        name=REHEARSAL.provider,
        template=REHEARSAL,
        source="built-in",
        models={REHEARSAL.id: REHEARSAL},
        is_open=False,
    )
    return result


def _known(known: KnownProvider, row: Provider | None, key: str, *, merge: bool) -> ProviderEntry:
    """A service whose address is known: from the environment, a row, or just a credential.

    A key of the environment goes to the environment's address or the service's own, never to the
    one that the row names: it may be somebody else's.
    """
    name, environment = known.name, environment_provider(known.name)
    # A key that other programs use as well gives way to one that was put in for us.
    key_raw = key_of(row, key)
    foreign = bool(environment.api_key) and not (environment.is_shared and key_raw)
    # Stored credentials are asked before the environment, the configuration's key behind it.
    foreign = foreign and not profiles_go_first(name)
    row_address = text_resolve(row.base_url) if row and not foreign else ""
    template = ModelInfo(
        provider=name,
        id="",
        api=row.api if row and (row_address or not row.base_url) else known.api,
        base_url=environment.base_url or row_address or known.base_url,
        api_key=environment.api_key if foreign else text_resolve(key_raw),
    )
    is_elsewhere = bool(known.base_url) and template.base_url == row_address != known.base_url
    listed: dict[str, ModelInfo] = {}
    windows: dict[str, WindowSource] = {}
    if row is not None:
        template = template_of(template, row)
        listed, windows = listed_models(template, row, key_is_foreign=foreign)
    built_in = KNOWN_MODELS.get(name, {}) if not is_elsewhere and (merge or row is None) else {}
    merged = {model_id: reached(template, info) for model_id, info in built_in.items()}
    return ProviderEntry(
        name=name,
        template=template,
        source=_source(known, row, environment, key_raw),
        models=listed | {key: value for key, value in merged.items() if key not in listed},
        problem=key_problem(template, key_raw),
        is_open=not (is_elsewhere and listed),
        by_chance=foreign and environment.is_shared,
        windows=windows,
    )


def _source(
    known: KnownProvider, row: Provider | None, environment: EnvironmentProvider, key: str
) -> Source:
    if environment.api_key or environment.base_url:
        return "environment"
    return "local" if known.is_local and row is None and not key else "database"


def _stored(row: Provider, key: str) -> ProviderEntry:
    key_raw = key_of(row, key)
    address = text_resolve(row.base_url)
    if not address and row.name == OLLAMA:
        address = ollama_address()
    template = ModelInfo(
        provider=row.name, id="", api=row.api, base_url=address, api_key=text_resolve(key_raw)
    )
    template = template_of(template, row)
    models, windows = listed_models(template, row)
    return ProviderEntry(
        name=row.name,
        template=template,
        source="database",
        models=models,
        problem=key_problem(template, key_raw),
        is_open=not models,
        windows=windows,
    )


def _ollama() -> ProviderEntry:
    template = ModelInfo(
        provider=OLLAMA,
        id="",
        api=OLLAMA_API,
        base_url=ollama_address(),
        api_key=environment_provider(OLLAMA).api_key,
        context_window=WINDOW,
    )
    return ProviderEntry(name=OLLAMA, template=template, source="local")


def _unusable(name: str, api: str) -> ProviderEntry:
    template = ModelInfo(provider=name, id="", api=api)
    return ProviderEntry(name, template, "database", problem=unusable_api(name, api))
