"""Everything that a prompt depends on. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.prompt.modes import PromptMode
from agents.prompt.workspace_files import ProjectFile

Part = Literal["stable", "changing"]


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The same facts give the same bytes. There is no clock, no id and no counter among them.

    `tools` are (name, description). `sandbox` describes the sandbox in sentences, "" outside of
    one. `notes` are those of the last two days, `extra` is what the caller of this run adds,
    `skills` the block of `agents.skills.prompt`.
    """

    mode: PromptMode
    name: str
    slug: str
    model: str
    workspace: str
    tools: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    own_prompt: str = ""
    zone: str = "UTC"
    owner: bool = False
    person: str = ""
    channel: str = ""
    files: tuple[ProjectFile, ...] = ()
    notes: tuple[ProjectFile, ...] = ()
    skills: str = ""
    sandbox: str = ""
    documentation: str = ""
    extra: str = ""
    host: str = ""
    thinking: str = ""
    reasoning: str = ""

    def has_tool(self, name: str) -> bool:
        """Whether the agent can call it in this run."""
        return any(tool == name for tool, _description in self.tools)


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One section as it stands in the prompt; `title` "" for the line at its head."""

    title: str
    text: str
    part: Part = "stable"

    @property
    def rendered(self) -> str:
        """Heading and text."""
        return f"## {self.title}\n{self.text}" if self.title else self.text

    @property
    def tokens(self) -> int:
        """About how many tokens it takes: four characters each."""
        return (len(self.rendered) + 3) // 4
