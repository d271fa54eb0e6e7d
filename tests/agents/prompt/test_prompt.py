"""What an agent is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agents.core.model import ToolSchema
from agents.core.principal import Principal
from agents.prompt.build import system_prompt
from agents.providers.common.prompt_cache import system_parts
from agents.selectors import AgentSnapshot

TOOLS = (
    ToolSchema("read", "Reads a file. Long files come in parts.", {}),
    ToolSchema("exec", "Runs a command\nin the workspace", {}),
)
PERSON = Principal(id="p1", zone="Europe/Berlin")


@dataclass
class Case:
    """An agent in a folder of its own."""

    snapshot: AgentSnapshot

    def prompt(self, **changes: Any) -> str:
        given = {"snapshot": self.snapshot, "tools": TOOLS, "principal": PERSON, "channel": "web"}
        return system_prompt(**{**given, **changes})


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(
        AgentSnapshot(
            slug="ops",
            name="Olga",
            workspace=tmp_path,
            model="lab/small",
            fallbacks=(),
            thinking="off",
            timeout_seconds=600,
            max_concurrent=4,
            system_prompt="Answer in rhyme.",
            settings={},
        )
    )


def test_it_works(case: Case) -> None:
    (case.snapshot.workspace / "AGENTS.md").write_text("Feed the cat.", encoding="utf-8")
    prompt = case.prompt(extra="Today is a holiday.")
    titles = [line[3:] for line in prompt.splitlines() if line.startswith("## ")]
    assert titles == [
        "Tooling",
        "Tool Call Style",
        "Execution Bias",
        "Safety",
        "Workspace",
        "Documentation",
        "Workspace Files",
        "Date & Time",
        "Instructions",
        "Project Context",
        "Further Context",
        "Runtime",
    ]
    assert prompt.startswith("You are Olga, ")
    for text in (
        "- read: Reads a file.\n",
        "- exec: Runs a command in the workspace\n",
        str(case.snapshot.workspace),
        "Time zone: Europe/Berlin",
        "Answer in rhyme.",
        "Feed the cat.",
        "Today is a holiday.",
        " | model=lab/small | channel=web",
    ):
        assert text in prompt, text


def test_the_same_bytes_every_time(case: Case) -> None:
    assert case.prompt() == case.prompt()
    copy = Case(replace(case.snapshot))
    assert copy.prompt() == case.prompt()


def test_empty_parts_are_left_out(case: Case) -> None:
    case.snapshot = replace(case.snapshot, system_prompt=" ")
    prompt = case.prompt(tools=())
    assert "## Instructions" not in prompt
    assert "## Further Context" not in prompt
    assert "You have no tools in this conversation." in prompt


def test_a_change_is_seen(case: Case) -> None:
    before = case.prompt()
    assert case.prompt(principal=replace(PERSON, zone="UTC")) != before
    assert case.prompt(channel="http") != before
    assert case.prompt(tools=TOOLS[:1]) != before
    (case.snapshot.workspace / "AGENTS.md").write_text("New.", encoding="utf-8")
    assert "New." in case.prompt()


def test_a_long_description_is_one_short_line(case: Case) -> None:
    tool = ToolSchema("big", "word " * 500, {})
    (line,) = (x for x in case.prompt(tools=(tool,)).splitlines() if x.startswith("- big"))
    assert len(line) < 160
    assert line.endswith("…")


def test_notes_of_two_days(case: Case) -> None:
    for name in ("memory/2026-03-01.md", "memory/2026-02-28.md", "memory/2026-02-27.md"):
        path = case.snapshot.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Note of {name[-5:-3]}.", encoding="utf-8")
    owner = replace(PERSON, is_owner=True)
    prompt = case.prompt(principal=owner, today=date(2026, 3, 1))
    stable, changing = system_parts(prompt)
    assert "Note of" not in stable
    assert changing.index("Note of 28.") < changing.index("Note of 01.")
    assert "Note of 27." not in changing
    assert "Note of" not in case.prompt(principal=owner)
    assert "Note of" not in case.prompt(today=date(2026, 3, 1))
    own = case.snapshot.workspace / "memory" / "people" / PERSON.id / "2026-03-01.md"
    own.parent.mkdir(parents=True)
    own.write_text("Only mine.", encoding="utf-8")
    assert "Only mine." in case.prompt(today=date(2026, 3, 1))
    assert "Only mine." not in case.prompt(principal=owner, today=date(2026, 3, 1))
