"""Skills as slash commands: /skill NAME, and one command for each skill that allows it."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _

from agents.config.paths import nearest
from agents.core.errors import NotFound, OpenClawError
from agents.selectors import agent_snapshot
from agents.skills.catalog import Skill, skills_of
from agents.skills.names import command_names
from sessions.commands import WORDS, Command

_SLASH = re.compile(r"/([a-z0-9_]{1,32}):?(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)


def skill_command(*, text: str, agent: str) -> Command | None:
    """The command that `text` is when it begins with the command of a skill, None otherwise.

    Looks at the agent's skills only when the text begins with a slash and is no other command.
    """
    found = _SLASH.fullmatch(text.strip())
    if found is None or found[1].lower() in WORDS:
        return None
    try:
        name = skill_names(agent=agent).get(found[1].lower())
    except OpenClawError:
        # Whether the agent can answer at all is for the turn to say.
        return None
    return Command("skill", f"{name} {found[2] or ''}".strip()) if name else None


def skill_names(*, agent: str) -> dict[str, str]:
    """Command → skill, for the skills that people may call."""
    return command_names([skill.name for skill in _callable(agent)], taken=WORDS)


def skill_message(*, rest: str, agent: str) -> str:
    """What the model is told for `/skill NAME INPUT`. Raises NotFound with the nearest name."""
    words = rest.split(None, 1)
    wanted, given = words[0].lower(), words[1] if len(words) > 1 else ""
    skills = {skill.name: skill for skill in _callable(agent)}
    wanted = skill_names(agent=agent).get(wanted, wanted)
    if (skill := skills.get(wanted)) is None:
        near = nearest(wanted, list(skills))
        text = _("There is no skill %(name)s.") % {"name": wanted}
        hint = _(" Did you mean %(name)s?") % {"name": near} if near else ""
        raise NotFound(text + hint)
    asked = _("Use the skill %(name)s: read %(file)s and do as it says.")
    first = asked % {"name": skill.name, "file": skill.file}
    return f"{first}\n\n{given}" if given else first


def skill_list(*, agent: str) -> str:
    """One line for each command of a skill."""
    about = {skill.name: skill.document.description for skill in _callable(agent)}
    lines = [f"/{name}: {about[skill][:100]}" for name, skill in skill_names(agent=agent).items()]
    return "\n".join(lines) or _("This agent has no skills.")


def _callable(agent: str) -> list[Skill]:
    snapshot = agent_snapshot(slug=agent)
    return [skill for skill in skills_of(snapshot).skills if skill.document.user_invocable]
