"""Which models a tool of media may ask, in order, and with which credentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from django.utils.translation import gettext as _

from agents.catalog.known import REHEARSAL
from agents.catalog.resolve import catalog, first_model, resolve_model
from agents.config.sections.agents_schema import ModelChoice
from agents.core.errors import ToolError, UserError
from agents.core.model import ModelInfo
from agents.core.registry import Registry
from agents.credentials.candidates import candidates
from agents.credentials.credential import Credential, model_with
from agents.credentials.selectors import credentials_for
from agents.media.registry import maker_for
from agents.selectors import agent_defaults

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MediaSlot(Generic[T]):
    """One way to have something made: who makes it, the model with its key, the credential."""

    maker: T
    model: ModelInfo
    credential: Credential | None = None


def choice_refs(choice: ModelChoice) -> tuple[str, ...]:
    """The models that a choice names, in order."""
    return tuple(ref for ref in (choice.primary, *(choice.fallbacks or ())) if ref)


def slots_find(
    makers: Registry[T], *, wanted: str, configured: ModelChoice, agent: str
) -> list[MediaSlot[T]]:
    """Every way to have it made, the best first: `wanted` alone if it is given, else what is
    configured, else the default models of the services that have a credential.

    [] when there is none. Raises ToolError for a `wanted` that cannot be asked.
    """
    refs = (wanted,) if wanted else choice_refs(configured) or _default_refs(makers)
    found: list[MediaSlot[T]] = []
    for ref in refs:
        try:
            maker, model = made_by(makers, ref)
        except ToolError:
            if wanted:
                raise
            continue
        found += [
            MediaSlot(maker, model_with(model, credential), credential)
            for credential in credentials_for(model=model, agent=agent)
        ]
    if wanted and not found:
        raise ToolError(f"model: there is no credential for {wanted!r}.")
    # Those that rest are only asked when nothing else is left.
    return sorted(found, key=lambda slot: slot.credential is None or not slot.credential.usable)


def makers_problem(makers: Registry[T], configured: ModelChoice, *, setting: str) -> str:
    """Why nothing can be made, "" when it can: what to set. `setting` is the key of the choice."""
    for ref in choice_refs(configured) or _default_refs(makers):
        try:
            _maker, model = made_by(makers, ref)
        except ToolError:
            continue
        if is_reachable(model):
            return ""
    names = " or ".join(name for name in makers.names() if name in catalog().providers)
    text = _("no credential for %(names)s; add one, or name another model in %(setting)s")
    return text % {"names": names, "setting": setting}


def is_reachable(model: ModelInfo) -> bool:
    """Whether any agent has a credential for `model`."""
    met = candidates(model=model, agent=None)
    return any(one.verdict == "ok" for one in met)


def _default_refs(makers: Registry[T]) -> tuple[str, ...]:
    refs = []
    for name, maker in makers:
        entry = catalog().providers.get(name)
        if entry is not None and not entry.problem and not entry.by_chance:
            refs.append(f"{name}/{getattr(maker, 'default_model', '')}")
    return tuple(refs)


def made_by(makers: Registry[T], ref: str) -> tuple[T, ModelInfo]:
    """Who makes things with the model `ref`, and the model without a key."""
    state = catalog()
    ref = state.aliases.get(ref.lower(), ref)
    provider, slash, model_id = ref.partition("/")
    entry = state.providers.get(provider.lower()) if slash else None
    if entry is None or not model_id:
        raise ToolError(f"model: {ref!r} is unknown; write it as provider/model.")
    maker = maker_for(makers, provider=entry.name, api=entry.template.api)
    if maker is None:
        known = ", ".join(makers.names())
        raise ToolError(f"model: {entry.name} cannot do this; known are {known}.")
    known_model = entry.models.get(model_id, entry.template)
    return maker, replace(known_model, id=model_id, name=model_id, api_key="")


def seeing_models(wanted: str, configured: ModelChoice, own: str) -> Iterator[ModelInfo]:
    """The models that see pictures, the best first: `wanted` alone if it is given, else what is
    configured, the turn's `own`, one of each service that can be used.

    Raises ToolError for a `wanted` that cannot be asked or does not see.
    """
    if wanted:
        yield _seeing(wanted)
        return
    refs = choice_refs(configured)
    for ref in refs or ((own,) if own else ()):
        model = _seeing_or_none(ref)
        if model is not None:
            yield model
    if not refs:
        yield from _other_seeing(own)


def reading_models(wanted: str, own: str) -> Iterator[ModelInfo]:
    """The models that answer questions about documents, the best first: `wanted` alone if it is
    given, else `pdfModel`, else those that see pictures, else the turn's `own`.

    Raises ToolError for a `wanted` that cannot be asked.
    """
    defaults = agent_defaults()
    if refs := (wanted,) if wanted else choice_refs(defaults.pdf_model):
        for ref in refs:
            try:
                yield resolve_model(ref=ref)
            except UserError as error:
                if wanted:
                    raise ToolError(f"model: {error.message}") from error
        return
    seen: set[str] = set()
    for model in seeing_models("", defaults.image_model, own):
        seen.add(model.ref)
        yield model
    if own and own not in seen and own != REHEARSAL.ref:
        with suppress(UserError):
            yield resolve_model(ref=own)


def _seeing(ref: str) -> ModelInfo:
    try:
        model = resolve_model(ref=ref)
    except UserError as error:
        raise ToolError(f"model: {error.message}") from error
    # The rehearsal only plays a model; it sees nothing.
    if "image" not in model.input or model.api == REHEARSAL.api:
        raise ToolError(f"model: {model.ref} does not see pictures.")
    return model


def _seeing_or_none(ref: str) -> ModelInfo | None:
    try:
        return _seeing(ref)
    except ToolError:
        return None


def _other_seeing(own: str) -> Iterator[ModelInfo]:
    for entry in catalog().providers.values():
        if entry.problem or entry.by_chance or entry.name == REHEARSAL.provider:
            continue
        best = entry.models.get(first_model(entry))
        for model in (*filter(None, [best]), *entry.models.values()):
            if "image" in model.input and model.ref != own and is_reachable(model):
                yield model
                break


def seeing_problem() -> str:
    """Why no model sees pictures, "" when one does: what to set."""
    defaults = agent_defaults()
    # One is enough, so the others are not even looked for.
    if any(map(is_reachable, seeing_models("", defaults.image_model, defaults.model.primary))):
        return ""
    return _("no model that sees pictures has a credential; name one in %(setting)s") % {
        "setting": "agents.defaults.imageModel"
    }
