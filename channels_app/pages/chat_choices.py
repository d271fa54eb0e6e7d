"""What the pickers of the chat page offer: agents, models, thinking, reasoning, commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.catalog.listing import models_list
from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import OpenClawError
from agents.core.model import ModelInfo
from agents.providers.rehearsal.scripts import REHEARSALS
from agents.providers.thinking_levels import ALL_LEVELS, thinking_fitted, thinking_levels
from agents.selectors import agent_snapshot, agents_list
from sessions.commands import COMMANDS, CommandKind
from sessions.keys import agent_of
from sessions.models import Session
from sessions.showing import Showing, showing_of


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A line of the model picker. `levels` are the thinking levels it can do, joined by blanks."""

    ref: str
    levels: str


def chat_choices(*, key: str, session: Session | None) -> dict[str, Any]:
    """The pickers' part of the page's context, and which model answers here."""
    agent = agent_of(key)
    try:
        snapshot = agent_snapshot(slug=agent)
        inherited = default_model_ref(agent_model=snapshot.model)
        settings, thinking = snapshot.settings, snapshot.thinking
    except OpenClawError:
        inherited, settings, thinking = "", {}, "off"
    ref = (session.model if session else "") or inherited
    is_rehearsal = ref.startswith("rehearsal/")
    listed = models_list()
    model = _model(ref, listed)
    levels = thinking_levels(model) if model else ALL_LEVELS
    return {
        "agent": agent,
        "agents": [row for row in agents_list() if row.enabled],
        "models": [ModelChoice(one.ref, " ".join(thinking_levels(one))) for one in listed],
        "inherited_model": inherited,
        "inherited_levels": " ".join(_levels(inherited, listed)),
        "model": ref,
        "levels": levels,
        "inherited_thinking": thinking,
        "inherited_shown": thinking_fitted(thinking, model) if model else thinking,
        "showing": showing_of(session, settings=settings),
        "inherited_showing": showing_of(None, settings=settings),
        "is_rehearsal": is_rehearsal,
        "rehearsals": REHEARSALS if is_rehearsal else (),
    }


def _model(ref: str, listed: Sequence[ModelInfo]) -> ModelInfo | None:
    found = next((one for one in listed if one.ref == ref), None)
    if found is not None:
        return found
    try:
        return resolve_model(ref=ref) if ref else None
    except OpenClawError:
        return None


def _levels(ref: str, listed: Sequence[ModelInfo]) -> Sequence[str]:
    model = _model(ref, listed)
    return thinking_levels(model) if model else ALL_LEVELS


def showing_for_the_script(showing: Showing) -> dict[str, str]:
    """The levels as the page's script has them."""
    return {
        "verbose": showing.verbose,
        "reasoning": showing.reasoning,
        "trace": showing.trace,
    }


def commands_offered() -> list[list[str]]:
    """What the list behind "/" offers: each command, and each of its choices, with its help."""
    return [
        [text, str(kind.help)]
        for kind in COMMANDS
        for text in (f"/{kind.name}", *(f"/{kind.name} {choice}" for choice in _choices(kind)))
    ]


def _choices(kind: CommandKind) -> Sequence[str]:
    return (*ALL_LEVELS, "default") if kind.name == "think" else kind.choices
