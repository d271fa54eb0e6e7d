"""The `skills` section of the configuration document."""

from __future__ import annotations

from agents.config.section import Section
from agents.skills.settings_schema import SkillsDocument

SECTION = Section("skills", SkillsDocument)
