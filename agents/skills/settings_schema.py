"""`skills` of the configuration (automation.md 7.3, runtime.md 9)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from agents.config.schema import Kept, Strict
from agents.skills.document import MAX_FILE_BYTES
from agents.skills.prompt import MAX_CHARACTERS, MAX_SKILLS
from agents.skills.sources import MAX_CANDIDATES, MAX_LOADED

SkillKey = Annotated[str, Field(min_length=1, max_length=64)]
Folder = Annotated[str, Field(min_length=1, max_length=1_000)]


class SkillEntry(Strict):
    """Settings of one skill. `config` is for the skill's own instructions."""

    enabled: bool = True
    env: dict[str, str] = {}
    config: dict[str, object] = {}
    api_key: Kept = None


class SkillLimits(Strict):
    """How much is looked at and shown."""

    max_candidates_per_root: int = Field(default=MAX_CANDIDATES, ge=1, le=10_000)
    max_skills_loaded_per_source: int = Field(default=MAX_LOADED, ge=1, le=10_000)
    max_skills_in_prompt: int = Field(default=MAX_SKILLS, ge=0, le=10_000)
    max_skills_prompt_chars: int = Field(default=MAX_CHARACTERS, ge=0, le=1_000_000)
    max_skill_file_bytes: int = Field(default=MAX_FILE_BYTES, ge=1_000, le=MAX_FILE_BYTES)


class SkillLoad(Strict):
    """More folders of skills, below all others. Skills are always read anew when they change."""

    extra_dirs: list[Folder] = Field(default=[], max_length=50)
    watch: Kept = None
    watch_debounce_ms: Kept = None


class SkillsDocument(Strict):
    """The section. `allow_bundled` unset: every skill that the product brings."""

    allow_bundled: list[SkillKey] | None = None
    load: SkillLoad = SkillLoad()
    limits: SkillLimits = SkillLimits()
    entries: dict[SkillKey, SkillEntry] = {}
    install: Kept = None
