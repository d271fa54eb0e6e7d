"""The skills of a turn: as they are when it begins, to its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.core.tools import ToolContext
from agents.database import run_db
from agents.prompt.build import DOCUMENTS
from agents.selectors import AgentSnapshot
from agents.skills.catalog import SkillSet, skills_known, skills_of
from tools.builtin.exec.environment_names import always_removed, refused_in_calls
from tools.workspace.readable import READABLE


async def turn_skills(snapshot: AgentSnapshot) -> SkillSet:
    """What the agent has now. Waits only when the folders must be looked through."""
    known = skills_known(snapshot)
    return await run_db(skills_of, snapshot) if known is None else known


def skilled(context: ToolContext, skills: SkillSet) -> ToolContext:
    """The context with the folders that may be read for the skills, and their variables.

    In a sandbox there are neither: what it may see is mounted, and secrets are never inside.
    """
    if context.sandboxed:
        return context
    folders: tuple[Path, ...] = (*skills.folders, DOCUMENTS)
    given = {
        name: value
        for name, value in skills.environment.items()
        if not always_removed(name) and not refused_in_calls(name)
    }
    return replace(
        context,
        environment={**given, **context.environment},
        settings={**context.settings, READABLE: folders},
    )
