"""The list of skills in the system prompt. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

# The seeds' limits; runtime.md 9 has the later ones.
MAX_SKILLS = 150
MAX_CHARACTERS = 30_000

_OPEN, _CLOSE = "<available_skills>", "</available_skills>"
_SHORT = "The descriptions are left out because they would be too long; the names must do."
_LEFT_OUT = (
    "{left} of {total} skills are not listed here for want of room. "
    "`manage.py skills list` shows all of them."
)


@dataclass(frozen=True, slots=True)
class Listed:
    """What the prompt says of a skill. `location` is the path of its SKILL.md."""

    name: str
    description: str
    location: str


def skills_block(
    skills: Sequence[Listed],
    *,
    max_skills: int = MAX_SKILLS,
    max_characters: int = MAX_CHARACTERS,
    home: str = "",
) -> str:
    """The block for the prompt, at most `max_characters` long; "" without skills or room.

    The order is kept. Where not everything fits, first the descriptions go, then the skills at the
    end: as many from the front as fit are listed, and a line says how many are not. `home` at the
    beginning of a location becomes ~.
    """
    shown = [_homed(skill, home) for skill in skills]
    most = min(len(shown), max_skills)
    for brief in (False, True):
        block = _block(shown, most, brief)
        if len(block) <= max_characters:
            return block
    prefixes = [_largest(shown, most, max_characters, brief) for brief in (False, True)]
    return max(prefixes, key=lambda block: block.count("<skill>"))


def _largest(skills: Sequence[Listed], most: int, max_characters: int, brief: bool) -> str:
    """The longest prefix that fits. More skills never make a block shorter but for the note."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if len(_block(skills, middle, brief)) <= max_characters:
            low = middle
        else:
            high = middle - 1
    return _block(skills, low, brief) if low else ""


def _block(skills: Sequence[Listed], count: int, brief: bool) -> str:
    if not skills:
        return ""
    lines = [_OPEN, *(_entry(skill, brief) for skill in skills[:count]), _CLOSE]
    if brief:
        lines.append(_SHORT)
    if count < len(skills):
        lines.append(_LEFT_OUT.format(left=len(skills) - count, total=len(skills)))
    return "\n".join(lines)


def _entry(skill: Listed, brief: bool) -> str:
    about = "" if brief else f"<description>{escape(skill.description)}</description>"
    return (
        f"<skill><name>{escape(skill.name)}</name>{about}"
        f"<location>{escape(skill.location)}</location></skill>"
    )


def _homed(skill: Listed, home: str) -> Listed:
    root = home.rstrip("/")
    if not root or not skill.location.startswith(f"{root}/"):
        return skill
    return Listed(skill.name, skill.description, "~" + skill.location[len(root) :])
