"""The system prompt that a message would get, for people who want to see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agents.core.principal import Principal
from agents.prompt.build import prompt_facts, prompt_parts, prompt_text
from agents.prompt.facts import PromptPart
from agents.prompt.modes import prompt_mode
from agents.prompt.workspace_files import ProjectFile
from agents.providers.common.prompt_cache import system_text
from agents.selectors import agent_snapshot
from agents.skills.catalog import skills_prompt
from sessions.keys import main_key
from sessions.tool_policy import policy_explain
from sessions.turns.request import local_day
from sessions.turns.sandboxes import sandbox_prompt
from tools.registry import TOOLS, tool_schemas


@dataclass(frozen=True, slots=True)
class PromptShown:
    """A whole prompt. `tools` are (name, tokens of its schema), `files` those of the workspace."""

    agent: str
    session: str
    model: str
    mode: str
    text: str
    parts: tuple[PromptPart, ...]
    files: tuple[ProjectFile, ...]
    tools: tuple[tuple[str, int], ...]

    @property
    def tokens(self) -> int:
        """About how many tokens prompt and tools take together."""
        return sum(one.tokens for one in self.parts) + sum(tokens for _name, tokens in self.tools)

    def share(self, tokens: int) -> int:
        """`tokens` in percent of the whole."""
        return round(100 * tokens / self.tokens) if self.tokens else 0

    def to_json(self) -> dict[str, Any]:
        """The form that programs get."""
        return {
            "agent": self.agent,
            "session": self.session,
            "model": self.model,
            "mode": self.mode,
            "tokens": self.tokens,
            "parts": [
                {"title": one.title, "tokens": one.tokens, "changing": one.part == "changing"}
                for one in self.parts
            ],
            "files": [
                {"name": file.name, "chars": file.chars, "shown": len(file.text)}
                for file in self.files
            ],
            "tools": [{"name": name, "tokens": tokens} for name, tokens in self.tools],
            "text": self.text,
        }


def prompt_shown(*, principal: Principal, agent: str = "", session: str = "") -> PromptShown:
    """What a message of the session's owner would get now; without a session, one of `principal`.

    The session need not exist yet. Raises NotFound and UserError that name what is unknown.
    """
    explained = policy_explain(principal=principal, agent=agent, session=session)
    snapshot = agent_snapshot(slug=explained.agent)
    key = explained.session or main_key(explained.agent)
    if sandbox := sandbox_prompt(snapshot, key):
        explained = policy_explain(
            principal=principal, agent=agent, session=session, sandboxed=True
        )
    tools = tool_schemas([TOOLS.get(tool.name) for tool in explained.tools if tool.kept])
    facts = prompt_facts(
        snapshot=snapshot,
        tools=tools,
        principal=explained.asker,
        channel=explained.channel,
        mode=prompt_mode(key),
        skills=skills_prompt(snapshot),
        sandbox=sandbox,
        today=local_day(explained.asker.zone),
    )
    return PromptShown(
        agent=explained.agent,
        session=key,
        model=explained.model,
        mode=facts.mode,
        text=system_text(prompt_text(facts)),
        parts=prompt_parts(facts),
        files=(*facts.files, *facts.notes),
        tools=tuple((tool.name, _tokens(tool)) for tool in tools),
    )


def size_lines(shown: PromptShown, *, tools: bool = False) -> Iterator[str]:
    """What takes how many tokens, the whole first; with `tools` each tool by itself."""
    text = _("About %(tokens)s tokens before the first message (%(mode)s prompt):")
    yield text % {"tokens": shown.tokens, "mode": shown.mode}
    for one in shown.parts:
        title = one.title or _("Identity")
        yield _size(shown, one.tokens, f"{title} *" if one.part == "changing" else title)
    all_tools = _("Schemas of %(count)s tools") % {"count": len(shown.tools)}
    yield _size(shown, sum(tokens for _name, tokens in shown.tools), all_tools)
    for file in shown.files:
        values = {"name": file.name, "chars": file.chars, "shown": len(file.text)}
        cut = _("File %(name)s: %(shown)s of %(chars)s characters")
        yield (cut if file.is_cut else _("File %(name)s: %(chars)s characters")) % values
    for name, tokens in shown.tools if tools else ():
        yield _size(shown, tokens, _("Tool %(name)s") % {"name": name})
    yield _("* stands behind the part that services keep.")


def _size(shown: PromptShown, tokens: int, what: str) -> str:
    return f"{tokens:>6}  {shown.share(tokens):>3} %  {what}"


def _tokens(tool: Any) -> int:
    return (len(tool.name) + len(tool.description) + len(str(tool.parameters)) + 3) // 4
