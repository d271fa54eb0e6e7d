"""The skills of an agent: from seven places, gated, the stronger place winning."""

from __future__ import annotations

import os
import platform
import shutil
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.utils.translation import gettext as _

from agents.config.registry import section
from agents.config.selectors import config_truthy
from agents.selectors import AgentSnapshot
from agents.skills.document import SkillDocument
from agents.skills.prompt import Listed, skills_block
from agents.skills.requirements import Place, Requirements, refusal, requirements_of
from agents.skills.settings_schema import SkillEntry, SkillsDocument
from agents.skills.sources import PLUGIN_FOLDERS, FoundSkill, Root, skills_found

BUNDLED = Path(__file__).with_name("bundled")
# Seconds that folders are not looked through again.
_FRESH = 1.0
# Agents whose skills are remembered.
_REMEMBERED = 256
_OS = {"Darwin": "darwin", "Linux": "linux", "Windows": "win32"}


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that the agent has. `environment` is for its runs only and may hold secrets."""

    name: str
    document: SkillDocument
    folder: Path
    file: Path
    source: str
    needs: Requirements
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class RefusedSkill:
    """One that was found and is not used, and why."""

    name: str
    file: Path
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkillSet:
    """What an agent has at one moment, by name. `prompt` lists them for the system prompt."""

    skills: tuple[Skill, ...] = ()
    refused: tuple[RefusedSkill, ...] = ()
    prompt: str = ""

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where their files are."""
        return tuple(skill.folder for skill in self.skills)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that they give to the runs of the agent; they may be secrets."""
        return {name: value for one in self.skills for name, value in one.environment.items()}

    def find(self, name: str) -> Skill | None:
        """The skill of that name, None without one."""
        return next((skill for skill in self.skills if skill.name == name), None)


Known = tuple[float, SkillSet]
_known: dict[tuple[str, Path], Known] = {}
_lock = threading.Lock()


def skills_of(snapshot: AgentSnapshot) -> SkillSet:
    """What the agent has now. The folders are looked through at most once a second.

    Reads rows unless they were read a moment ago: not for the event loop.
    """
    return _fresh(snapshot)[1]


def skills_prompt(snapshot: AgentSnapshot) -> str:
    """The block of the system prompt within its limits; "" when there is nothing to list."""
    return _fresh(snapshot)[1].prompt


def skills_known(snapshot: AgentSnapshot) -> SkillSet | None:
    """What `skills_of` answers, without waiting; None when the folders must be looked through."""
    known = _known.get((snapshot.slug, snapshot.workspace))
    return known[1] if known is not None and known[0] > time.monotonic() else None


def skills_forget() -> None:
    """The next question looks through the folders again, whatever the time."""
    with _lock:
        _known.clear()


def _fresh(snapshot: AgentSnapshot) -> Known:
    key = (snapshot.slug, snapshot.workspace)
    known = _known.get(key)
    if known is not None and known[0] > time.monotonic():
        return known
    found = _collect(snapshot)
    found = replace(found, prompt=_block(found))
    answer = (time.monotonic() + _FRESH, found)
    with _lock:
        if len(_known) > _REMEMBERED:
            _known.clear()
        _known[key] = answer
    return answer


def _block(found: SkillSet) -> str:
    limits = _settings().limits
    listed = [
        Listed(skill.name, skill.document.description, str(skill.file))
        for skill in found.skills
        if skill.document.model_invocable
    ]
    return skills_block(
        listed,
        max_skills=limits.max_skills_in_prompt,
        max_characters=limits.max_skills_prompt_chars,
        home=str(Path.home()),
    )


def skill_roots(workspace: Path) -> list[Root]:
    """The places of skills, the weakest first (runtime.md 9)."""
    stated = _settings()
    limits = stated.limits
    home = Path(django_settings.OPENCLAW.home)
    places = [
        *((_("plugin"), PLUGIN_FOLDERS.get(name)) for name in sorted(PLUGIN_FOLDERS.names())),
        *((_("extra folder"), home / Path(text).expanduser()) for text in stated.load.extra_dirs),
        (_("brought along"), BUNDLED),
        (_("gateway"), home / "skills"),
        (_("user"), Path.home() / ".agents" / "skills"),
        (_("project"), workspace / ".agents" / "skills"),
        (_("workspace"), workspace / "skills"),
    ]
    return [
        Root(
            source,
            path,
            max_candidates=limits.max_candidates_per_root,
            max_loaded=limits.max_skills_loaded_per_source,
        )
        for source, path in places
    ]


def _settings() -> SkillsDocument:
    found: SkillsDocument = section("skills")
    return found


def _collect(snapshot: AgentSnapshot) -> SkillSet:
    stated = _settings()
    place = _place()
    allowed = _allowed(snapshot.settings)
    chosen: dict[str, Skill] = {}
    refused: list[RefusedSkill] = []
    for root in skill_roots(snapshot.workspace):
        for found in skills_found(root):
            skill, reason = _judged(found, stated, place, allowed, root.path == BUNDLED)
            if skill is None:
                refused.append(RefusedSkill(found.name, found.file, found.source, reason))
                continue
            if (weaker := chosen.pop(skill.name, None)) is not None:
                text = _("the one from %(source)s goes first") % {"source": skill.source}
                refused.append(RefusedSkill(weaker.name, weaker.file, weaker.source, text))
            chosen[skill.name] = skill
    skills = tuple(chosen[name] for name in sorted(chosen))
    return SkillSet(skills, tuple(sorted(refused, key=lambda one: (one.name, str(one.file)))))


def _judged(
    found: FoundSkill,
    stated: SkillsDocument,
    place: Place,
    allowed: Collection[str] | None,
    bundled: bool,
) -> tuple[Skill | None, str]:
    if found.document is None:
        return None, found.problem
    name = found.document.name
    needs = requirements_of(name, found.document.metadata)
    entry = stated.entries.get(needs.key, SkillEntry())
    if not entry.enabled:
        return None, _("skills.entries.%(key)s.enabled is false") % {"key": needs.key}
    if bundled and stated.allow_bundled is not None and name not in stated.allow_bundled:
        return None, _("skills.allowBundled does not name it")
    if allowed is not None and name not in allowed:
        return None, _("the agent's list of skills does not name it")
    here = replace(place, has_env=lambda wanted: wanted in entry.env or place.has_env(wanted))
    if reason := refusal(needs, here):
        return None, reason
    return Skill(
        name, found.document, found.folder, found.file, found.source, needs, dict(entry.env)
    ), ""


def _place() -> Place:
    return Place(
        os=_OS.get(platform.system(), platform.system().lower()),
        has_bin=cache(lambda name: shutil.which(name) is not None),
        has_env=lambda name: bool(os.environ.get(name)),
        truthy=config_truthy,
    )


def _allowed(settings: Mapping[str, Any]) -> frozenset[str] | None:
    """The agent's own list, which takes the place of the defaults'; None: every skill."""
    stated = settings.get("skills")
    return frozenset(map(str, stated)) if isinstance(stated, list) else None
