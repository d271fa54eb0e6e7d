"""The system prompt: what an agent is told about itself, its tools and its place."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agents.core.principal import Principal
from agents.memory.places import notes_folder
from agents.prompt.facts import PromptFacts, PromptPart
from agents.prompt.modes import PromptMode, prompt_files
from agents.prompt.sections import SECTIONS
from agents.prompt.workspace_files import MAX_CHARS, MAX_TOTAL_CHARS, project_files
from agents.providers.common.prompt_cache import CACHE_BOUNDARY

if TYPE_CHECKING:
    from agents.selectors import AgentSnapshot

# The product's own documents; every agent may read them.
DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


class Described(Protocol):
    """What a prompt says of a tool; both tools and their schemas have it."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...

    @property
    def description(self) -> str:
        """What it does, in sentences."""
        ...


def prompt_facts(
    *,
    snapshot: AgentSnapshot,
    tools: Sequence[Described],
    principal: Principal,
    channel: str,
    mode: PromptMode = "full",
    extra: str = "",
    skills: str = "",
    sandbox: str = "",
    thinking: str = "",
    reasoning: str = "",
    today: date | None = None,
) -> PromptFacts:
    """What the prompt of a run depends on. Reads the workspace, never the database; may be called
    from any thread. `today` is the day in the zone of `principal`; without it no notes are shown.
    """
    settings = snapshot.settings
    limits = {
        "max_chars": _limit(settings, "bootstrapMaxChars", MAX_CHARS),
        "max_total": _limit(settings, "bootstrapTotalMaxChars", MAX_TOTAL_CHARS),
    }
    return PromptFacts(
        mode=mode,
        name=snapshot.name,
        slug=snapshot.slug,
        model=snapshot.model,
        aliases=_aliases(settings),
        workspace=str(snapshot.workspace),
        own_prompt=snapshot.system_prompt.strip(),
        tools=tuple((tool.name, tool.description) for tool in tools),
        zone=principal.zone,
        owner=principal.is_owner,
        person=principal.name,
        channel=channel,
        files=project_files(
            snapshot.workspace,
            prompt_files(mode, owner=principal.is_owner),
            **limits,
        ),
        notes=project_files(snapshot.workspace, _recent(mode, principal, today), **limits),
        skills=skills,
        sandbox=sandbox,
        documentation=str(DOCUMENTS) if DOCUMENTS.is_dir() else "",
        extra=extra.strip(),
        host=platform.system().lower(),
        thinking=thinking,
        reasoning=reasoning,
    )


@lru_cache(maxsize=256)
def prompt_parts(facts: PromptFacts) -> tuple[PromptPart, ...]:
    """The sections that have something to say, in order."""
    written = (
        PromptPart(title, text_of(facts), part)
        for title, modes, part, text_of in SECTIONS
        if facts.mode in modes
    )
    return tuple(one for one in written if one.text)


@lru_cache(maxsize=256)
def prompt_text(facts: PromptFacts) -> str:
    """The whole prompt, with the mark of the services' caches before what changes."""
    parts = prompt_parts(facts)
    stable = "\n\n".join(one.rendered for one in parts if one.part == "stable")
    changing = "\n\n".join(one.rendered for one in parts if one.part == "changing")
    return f"{stable}{CACHE_BOUNDARY}{changing}" if changing else stable


def system_prompt(**given: Any) -> str:
    """The prompt for what `prompt_facts` takes. Same arguments and files, same bytes."""
    return prompt_text(prompt_facts(**given))


def _recent(mode: PromptMode, principal: Principal, today: date | None) -> list[str]:
    """The notes of yesterday and today that belong to a conversation with this person."""
    if mode != "full" or today is None:
        return []
    folder = notes_folder(principal)
    return [f"{folder}/{today - timedelta(days=ago)}.md" for ago in (1, 0)]


def _aliases(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(alias, model) in the order of the alphabet, whatever order they were written in."""
    models = settings.get("models")
    found = models.items() if isinstance(models, Mapping) else ()
    named = [(entry.get("alias"), ref) for ref, entry in found if isinstance(entry, Mapping)]
    return tuple(sorted((str(alias), ref) for alias, ref in named if alias))


def _limit(settings: Mapping[str, Any], key: str, otherwise: int) -> int:
    value = settings.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
