"""What holds in a session: model, credential, thinking, what is shown; and what may be chosen."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.catalog.resolve import catalog, default_model_ref, resolve_model
from agents.config.paths import nearest
from agents.core.errors import OpenClawError, UserError
from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo
from agents.credentials.selectors import credentials_for
from agents.providers.thinking_levels import (
    ALL_LEVELS,
    thinking_fitted,
    thinking_levels,
    thinking_named,
)
from agents.selectors import agent_model, agent_snapshot
from sessions.models import Session
from sessions.showing import LEVELS, Showing, showing_of

# What gives an option back to the agent.
INHERIT = ("default", "inherit", "reset")


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a message without options of its own would get.

    `model` is None when there is none, then `problem` says why. `thinking` is the level that is
    wished, `used` the one that the model can do, `levels` those to choose from. `credential` is
    the id of the one that would be tried first, "" for none.
    """

    model: ModelInfo | None
    problem: str
    thinking: ThinkingLevel
    used: ThinkingLevel
    levels: tuple[ThinkingLevel, ...]
    showing: Showing
    credential: str = ""


def session_showing(*, session: Session) -> Showing:
    """What is shown of turns in a session. Never raises; costs no query as a rule."""
    try:
        settings = agent_snapshot(slug=session.agent_slug).settings
    except OpenClawError:
        settings = {}
    return showing_of(session, settings=settings)


def session_options(*, session: Session) -> SessionOptions:
    """The options that hold in a session now. Never raises for what is configured wrongly."""
    try:
        snapshot = agent_snapshot(slug=session.agent_slug)
    except OpenClawError as error:
        level = thinking_named(session.thinking) or "off"
        showing = showing_of(session, settings={})
        return SessionOptions(None, error.message, level, level, ALL_LEVELS, showing)
    wanted = thinking_named(session.thinking) or snapshot.thinking
    showing = showing_of(session, settings=snapshot.settings)
    try:
        ref = session.model or default_model_ref(agent_model=snapshot.model)
        model = agent_model(slug=snapshot.slug, ref=ref)
    except OpenClawError as error:
        return SessionOptions(None, error.message, wanted, wanted, ALL_LEVELS, showing)
    return SessionOptions(
        model=model,
        problem="",
        thinking=wanted,
        used=thinking_fitted(wanted, model),
        levels=thinking_levels(model),
        showing=showing,
        credential=_credential(session, model),
    )


def _credential(session: Session, model: ModelInfo) -> str:
    found = credentials_for(
        model=model,
        agent=session.agent_slug,
        preferred=session.profile,
        pinned=session.profile_pinned,
    )
    return found[0].id if found else ""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model that a person named, and the credential behind the @, "" for none."""

    model: ModelInfo
    profile: str = ""


def model_chosen(*, text: str, agent: str) -> ChosenModel:
    """The model that `text` names: an alias, a bare name, provider/model, each with @credential.

    Raises UserError with the nearest known name.
    """
    name, at, profile = text.strip().rpartition("@")
    if not at or not name:
        return ChosenModel(resolve_model(ref=text))
    if (listed := _listed(text.strip())) is not None:
        # Some services have an @ in the ids of their models.
        return ChosenModel(listed)
    model = resolve_model(ref=name)
    known = [found.id for found in credentials_for(model=model, agent=agent)]
    if profile in known:
        return ChosenModel(model, profile)
    values = {"provider": model.provider, "name": profile, "known": ", ".join(known) or "-"}
    if match := nearest(profile, known):
        said = _("There is no credential %(name)s for %(provider)s. Did you mean %(match)s?")
        raise UserError(said % {**values, "match": match})
    said = _("There is no credential %(name)s for %(provider)s. There are: %(known)s.")
    raise UserError(said % values)


def _listed(ref: str) -> ModelInfo | None:
    provider, _slash, model_id = ref.partition("/")
    entry = catalog().providers.get(provider.lower())
    return resolve_model(ref=ref) if entry is not None and model_id in entry.models else None


def thinking_chosen(*, text: str) -> ThinkingLevel | str:
    """The level that `text` names, "" to inherit. Raises UserError with all levels."""
    if text.strip().lower() in ("", *INHERIT):
        return ""
    level = thinking_named(text)
    if level is None:
        raise UserError(_unknown("thinkingLevel", text, ALL_LEVELS))
    return level


def level_chosen(*, name: str, text: str) -> str:
    """The level that `text` names for verbose, reasoning or trace, "" to inherit.

    Raises UserError with all levels.
    """
    plain = text.strip().lower()
    if plain in ("", *INHERIT):
        return ""
    if plain not in LEVELS[name]:
        raise UserError(_unknown(f"{name}Level", text, LEVELS[name]))
    return plain


def _unknown(field: str, text: str, known: tuple[str, ...]) -> str:
    values = {"field": field, "text": text[:60], "known": ", ".join(known)}
    return _("%(field)s %(text)s is unknown; use one of: %(known)s.") % values
