"""The sections of the prompt, in their order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.prompt import texts
from agents.prompt.facts import Part, PromptFacts
from agents.prompt.modes import PromptMode
from agents.prompt.workspace_files import ProjectFile

# Characters of a tool's line; the whole description reaches the model with the tool itself.
_SUMMARY = 140

TextOf = Callable[[PromptFacts], str]


def identity(facts: PromptFacts) -> str:
    """The line at the head; in the mode `none` it is the whole prompt."""
    return f"You are {facts.name}, a personal assistant that runs inside OpenClaw."


def tooling(facts: PromptFacts) -> str:
    """Every tool with a line, and how waiting is done."""
    if not facts.tools:
        return texts.NO_TOOLS
    lines = "\n".join(f"- {name}: {summary(text)}" for name, text in facts.tools)
    hints = [
        hint
        for tool, hint in (
            ("process", texts.BACKGROUND),
            ("cron", texts.LATER),
            ("sessions_spawn", texts.CHILDREN),
            ("update_plan", texts.PLANNING),
        )
        if facts.has_tool(tool)
    ]
    return "\n".join([texts.TOOLING.format(tools=lines), *hints])


def call_style(facts: PromptFacts) -> str:
    """How calls are talked about. Where people get buttons nothing is said of the command."""
    if not facts.tools:
        return ""
    return texts.CALL_STYLE.format(approve="" if facts.channel == "web" else texts.APPROVE)


def memory(facts: PromptFacts) -> str:
    """That memory is searched, where it can be."""
    return texts.MEMORY if facts.has_tool("memory_search") else ""


def self_update(facts: PromptFacts) -> str:
    """How the configuration is changed, for agents that can."""
    return texts.SELF_UPDATE if facts.has_tool("gateway") else ""


def aliases(facts: PromptFacts) -> str:
    """Short names of models."""
    lines = "\n".join(f"- {alias}: {ref}" for alias, ref in facts.aliases)
    return texts.ALIASES.format(aliases=lines) if lines else ""


def skills(facts: PromptFacts) -> str:
    """The list of skills; without the tool that reads them it is of no use."""
    return texts.SKILLS + facts.skills if facts.skills and facts.has_tool("read") else ""


def documentation(facts: PromptFacts) -> str:
    """Where the documents are, for agents that can read them."""
    if not facts.documentation or not facts.has_tool("read"):
        return ""
    return texts.DOCUMENTATION.format(path=facts.documentation)


def files(facts: PromptFacts) -> str:
    """Which files are part of the prompt."""
    if not facts.files:
        return ""
    names = [file.name for file in facts.files]
    soul = texts.SOUL if "SOUL.md" in names else ""
    return texts.FILES.format(names=", ".join(names)) + soul


def sender(facts: PromptFacts) -> str:
    """Who the agent talks to, where that has a name."""
    if not facts.person:
        return ""
    text = texts.OWNER if facts.owner else texts.NOT_OWNER
    return text.format(person=facts.person)


def date(facts: PromptFacts) -> str:
    """The zone alone: a clock would change the prompt with every turn."""
    status = texts.STATUS if facts.has_tool("session_status") else ""
    return texts.DATE.format(zone=facts.zone, status=status)


def project(facts: PromptFacts) -> str:
    """The files themselves."""
    return _shown(facts.files)


def recent(facts: PromptFacts) -> str:
    """What was noted today and yesterday."""
    return _shown(facts.notes)


def _shown(files: Sequence[ProjectFile]) -> str:
    return "\n\n".join(f"### {file.name}\n{file.text}" for file in files)


def runtime(facts: PromptFacts) -> str:
    """Where and how this run works, on one line."""
    known = (
        ("agent", facts.slug),
        ("host", facts.host),
        ("model", facts.model),
        ("channel", facts.channel or "none"),
        ("thinking", facts.thinking),
    )
    return " | ".join(f"{name}={value}" for name, value in known if value)


def reasoning(facts: PromptFacts) -> str:
    """Whether people see what the model thinks."""
    return texts.REASONING.get(facts.reasoning, "")


def summary(description: str) -> str:
    """The first sentence, on one line."""
    text = " ".join(description.split())
    end = text.find(". ")
    sentence = text[: end + 1] if end >= 0 else text
    return sentence if len(sentence) <= _SUMMARY else sentence[: _SUMMARY - 1].rstrip() + "…"


_BOTH: tuple[PromptMode, ...] = ("full", "minimal")
_FULL: tuple[PromptMode, ...] = ("full",)
_ALL: tuple[PromptMode, ...] = ("full", "minimal", "none")

# Title, modes, part, text (the seeds' order; design 10 for what `minimal` keeps). What differs
# between turns of one conversation stands last, behind the border of the services' caches.
SECTIONS: tuple[tuple[str, tuple[PromptMode, ...], Part, TextOf], ...] = (
    ("", _ALL, "stable", identity),
    ("Tooling", _BOTH, "stable", tooling),
    ("Tool Call Style", _FULL, "stable", call_style),
    ("Execution Bias", _FULL, "stable", lambda facts: texts.EXECUTION if facts.tools else ""),
    ("Safety", _BOTH, "stable", lambda _facts: texts.SAFETY),
    ("Skills", _FULL, "stable", skills),
    ("Memory Recall", _FULL, "stable", memory),
    ("Self-Update", _FULL, "stable", self_update),
    ("Model Aliases", _FULL, "stable", aliases),
    ("Workspace", _BOTH, "stable", lambda facts: texts.WORKSPACE.format(path=facts.workspace)),
    ("Documentation", _FULL, "stable", documentation),
    ("Workspace Files", _FULL, "stable", files),
    ("Sandbox", _BOTH, "stable", lambda facts: facts.sandbox),
    ("Sender", _FULL, "stable", sender),
    ("Date & Time", _BOTH, "stable", date),
    ("Instructions", _BOTH, "stable", lambda facts: facts.own_prompt),
    ("Project Context", _BOTH, "stable", project),
    ("Recent Notes", _FULL, "changing", recent),
    ("Further Context", _BOTH, "changing", lambda facts: facts.extra),
    ("Runtime", _BOTH, "changing", runtime),
    ("Reasoning", _FULL, "changing", reasoning),
)
