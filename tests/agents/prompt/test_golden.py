"""Whole prompts, kept as files and read by people. A change of one is a decision.

`GOLDEN=write pytest tests/agents/prompt/test_golden.py` writes them anew.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agents.prompt.build import prompt_parts, prompt_text
from agents.prompt.facts import PromptFacts
from agents.prompt.workspace_files import ProjectFile
from agents.providers.common.prompt_cache import system_parts, system_text
from agents.skills.prompt import Listed, skills_block

GOLDEN = Path(__file__).with_name("golden")

FULL = PromptFacts(
    mode="full",
    name="Nora",
    slug="main",
    model="lab/small",
    workspace="/home/ada/space",
    tools=(
        ("read", "Reads a file. Long files come in parts."),
        ("write", "Writes a file."),
        ("exec", "Runs a shell command in the workspace."),
        ("process", "Looks after commands in the background."),
        ("session_status", "Tells time, model and costs."),
        ("update_plan", "Shows the steps of the work."),
        ("gateway", "Reads and changes the configuration."),
        ("memory_search", "Searches notes."),
    ),
    aliases=(("tiny", "lab/small"),),
    own_prompt="Answer in short sentences.",
    zone="Europe/Berlin",
    owner=True,
    person="Ada",
    channel="web",
    files=(
        ProjectFile("AGENTS.md", "Look before you change.", 23),
        ProjectFile("SOUL.md", "You are calm and dry.", 21),
        ProjectFile("TOOLS.md", "The printer is called Bob.", 26),
    ),
    skills=skills_block([Listed("tidy-notes", "Tidies notes.", "~/skills/tidy-notes/SKILL.md")]),
    documentation="/srv/openclaw/docs",
    host="linux",
    thinking="low",
    reasoning="on",
)
CASES = {
    "full": FULL,
    "guest": replace(
        FULL,
        owner=False,
        person="Bob",
        channel="telegram",
        tools=FULL.tools[:1],
        files=FULL.files[:1],
        reasoning="",
    ),
    "minimal": replace(
        FULL, mode="minimal", channel="", files=(FULL.files[0], FULL.files[2]), extra="Count sheep."
    ),
    "sandboxed": replace(
        FULL,
        tools=FULL.tools[:3],
        sandbox="Commands and files are those of a container; its workspace is /workspace.",
    ),
    "bare": replace(FULL, tools=(), files=(), skills="", aliases=(), own_prompt="", person=""),
    "none": replace(FULL, mode="none"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_works(name: str) -> None:
    written = system_text(prompt_text(CASES[name])) + "\n"
    path = GOLDEN / f"{name}.md"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(written, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == written


def test_what_changes_stands_behind_the_border() -> None:
    stable, changing = system_parts(prompt_text(FULL))
    for other in (
        replace(FULL, thinking="high"),
        replace(FULL, model="lab/large"),
        replace(FULL, reasoning=""),
        replace(FULL, extra="Today is a holiday."),
    ):
        again, now = system_parts(prompt_text(other))
        assert again == stable
        assert now != changing


def test_each_mode_is_a_part_of_the_fuller_one() -> None:
    titles = {mode: [one.title for one in prompt_parts(replace(FULL, mode=mode))]
              for mode in ("full", "minimal", "none")}  # fmt: skip
    assert titles["none"] == [""]
    assert set(titles["minimal"]) < set(titles["full"])
    assert "Skills" not in titles["minimal"]
    assert "Self-Update" not in titles["minimal"]


def test_buttons_make_the_command_needless() -> None:
    assert "/approve" not in prompt_text(FULL)
    assert "/approve" in prompt_text(replace(FULL, channel="telegram"))


def test_the_parts_know_their_size() -> None:
    parts = prompt_parts(FULL)
    assert sum(one.tokens for one in parts) >= len(system_text(prompt_text(FULL))) // 4
