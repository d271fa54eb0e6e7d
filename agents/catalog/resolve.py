"""From the name of a model to everything a client needs to call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from agents.catalog.build import providers_build
from agents.catalog.entry import ProviderEntry
from agents.catalog.environment import (
    MODEL_VARIABLE,
    environment_model,
    environment_signature,
)
from agents.catalog.known import DEFAULT_MODELS, REHEARSAL
from agents.catalog.ollama import NAME as OLLAMA
from agents.catalog.ollama import ollama_models
from agents.config.cache import cached
from agents.config.paths import nearest
from agents.config.registry import section
from agents.config.sections.agents_schema import AgentDefaults
from agents.core.errors import UserError
from agents.core.model import ModelInfo

# The vendors whose models everything here is tried with.
_FIRST = ("anthropic", "openai")


@dataclass(slots=True)
class Catalog:
    """Providers and names of models as they are at one moment. `resolved` only remembers."""

    providers: Mapping[str, ProviderEntry]
    defaults: AgentDefaults
    aliases: Mapping[str, str]
    resolved: dict[str, ModelInfo] = field(default_factory=dict)
    found: str = ""


def catalog() -> Catalog:
    """The current catalog; made anew at most once a second or when the environment changes."""
    return cached(("catalog", environment_signature()), _catalog_build)


def _catalog_build() -> Catalog:
    defaults: AgentDefaults = section("agents").defaults
    aliases = {entry.alias.lower(): ref for ref, entry in defaults.models.items() if entry.alias}
    return Catalog(providers=providers_build(), defaults=defaults, aliases=aliases)


def resolve_model(*, ref: str) -> ModelInfo:
    """The model that `ref` names, with address and key: an alias, provider/model, or a bare id
    that exactly one provider lists. "" is the default model.

    Cheap when asked for often. Raises UserError saying what to set or to correct; never answers
    with another model than the one that was named.
    """
    wanted = ref.strip() or default_model_ref()
    state = catalog()
    if wanted not in state.resolved:
        state.resolved[wanted] = _resolve(state, wanted)
    return state.resolved[wanted]


def default_model_ref(*, agent_model: str = "") -> str:
    """The model to use when a message names none, as people wrote it.

    OPENCLAW_MODEL, then the agent's own, the agents' defaults, Anthropic, OpenAI, the first
    configured provider with a model, the first of the environment, an Ollama on this machine, the
    rehearsal. A configured model that cannot be used is still the answer, so that its problem is
    seen.
    """
    named = environment_model() or agent_model
    if named:
        return named
    state = catalog()
    if state.defaults.model.primary:
        return state.defaults.model.primary
    if not state.found:
        state.found = _find(state)
    return state.found


def _find(state: Catalog) -> str:
    for entry in sorted(state.providers.values(), key=_rank):
        if _is_choice(entry) and (model_id := first_model(entry)):
            return f"{entry.name}/{model_id}"
    if state.providers[OLLAMA].source == "local" and (local := ollama_models()):
        return f"{OLLAMA}/{local[0]}"
    return REHEARSAL.ref


def _rank(entry: ProviderEntry) -> int:
    """What somebody set up here goes before what the environment happens to hold."""
    if entry.name in _FIRST:
        return _FIRST.index(entry.name)
    return len(_FIRST) + (entry.source != "database")


def _is_choice(entry: ProviderEntry) -> bool:
    """Whether somebody set the provider up so that it can answer for everybody."""
    if entry.problem or entry.by_chance or entry.source not in ("environment", "database"):
        return False
    # An address alone says nothing about which models are there.
    return entry.source == "database" or bool(entry.template.api_key)


def first_model(entry: ProviderEntry) -> str:
    """The model that a provider answers with when nobody chose, "" when it lists none."""
    preferred = DEFAULT_MODELS.get(entry.name, "")
    return preferred if preferred in entry.models else next(iter(entry.models), "")


def _resolve(state: Catalog, wanted: str) -> ModelInfo:
    ref = state.aliases.get(wanted.lower(), wanted)
    name, slash, model_id = ref.partition("/")
    entry = state.providers.get(name.lower()) if slash else None
    if entry is None:
        entry, model_id = _listed(state, ref, name if slash else "")
    if entry.problem:
        raise UserError(entry.problem, details={"model": wanted})
    if model_id not in entry.models and not entry.is_open:
        raise _unknown_model(entry, model_id)
    model = entry.models.get(model_id) or replace(entry.template, id=model_id, name=model_id)
    stated = state.defaults.models.get(model.ref)
    params = {**state.defaults.params, **(stated.params if stated else {})}
    return replace(model, params={**model.params, **params}) if params else model


def _listed(state: Catalog, model_id: str, provider: str) -> tuple[ProviderEntry, str]:
    """The one provider that lists `model_id`. `provider` is what stood before a slash, if any."""
    found = [entry for entry in state.providers.values() if model_id in entry.models]
    if not found and model_id in (ids := _local_models(state, model_id)):
        return state.providers[OLLAMA], ids[model_id]
    usable = [entry for entry in found if not entry.problem] or found[:1]
    # A service that was only found by chance must not make a name ambiguous.
    usable = [entry for entry in usable if not entry.by_chance] or usable
    if len(usable) == 1:
        return usable[0], model_id
    if usable:
        names = ", ".join(f"{entry.name}/{model_id}" for entry in usable)
        text = _("Several providers have a model %(id)s: write one of %(names)s.")
        raise UserError(text % {"id": model_id, "names": names})
    raise _unknown_provider(state, provider) if provider else _unknown_name(state, model_id)


def _local_models(state: Catalog, model_id: str) -> dict[str, str]:
    """Ollama's ids by what people write, which may leave out ":latest"."""
    if state.providers[OLLAMA].source != "local" or "/" in model_id:
        return {}
    ids = ollama_models()
    return {name.removesuffix(":latest"): name for name in ids} | {name: name for name in ids}


def _unknown_model(entry: ProviderEntry, model_id: str) -> UserError:
    values = {"provider": entry.name, "id": model_id, "known": ", ".join(sorted(entry.models))}
    match = nearest(model_id, list(entry.models))
    if match:
        text = _("The provider %(provider)s has no model %(id)s. Did you mean %(match)s?")
        return UserError(text % {**values, "match": match})
    text = _("The provider %(provider)s has no model %(id)s. It has: %(known)s.")
    return UserError(text % values)


def _unknown_provider(state: Catalog, name: str) -> UserError:
    match = nearest(name, list(state.providers))
    if match:
        text = _("There is no provider %(name)s. Did you mean %(match)s?")
        return UserError(text % {"name": name, "match": match})
    text = _(
        "There is no provider %(name)s. Add it in models.providers of the configuration or in "
        "the administration."
    )
    return UserError(text % {"name": name})


def _unknown_name(state: Catalog, model_id: str) -> UserError:
    names = [*state.aliases, *(m for entry in state.providers.values() for m in entry.models)]
    values = {"id": model_id, "variable": MODEL_VARIABLE}
    if match := nearest(model_id, names):
        text = _("No provider has a model %(id)s. Did you mean %(match)s?")
        return UserError(text % {**values, "match": match})
    return UserError(_("No provider has a model %(id)s. Write it as provider/model.") % values)
