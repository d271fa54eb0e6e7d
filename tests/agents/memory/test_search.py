"""Looking something up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.principal import Principal
from agents.memory.places import audiences_for, notes_folder
from agents.memory.search import memory_get, memory_search
from agents.selectors import AgentSnapshot

ADA = Principal(id="p-ada", is_owner=True)
BOB = Principal(id="p-bob")
EVE = Principal(id="p-eve")


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentSnapshot:
    monkeypatch.setattr(settings, "OPENCLAW", replace(settings.OPENCLAW, home=tmp_path / "home"))
    return AgentSnapshot(
        slug="main",
        name="Nora",
        workspace=tmp_path / "space",
        model="lab/small",
        fallbacks=(),
        thinking="off",
        timeout_seconds=600,
        max_concurrent=4,
        system_prompt="",
        settings={},
    )


def note(agent: AgentSnapshot, path: str, text: str) -> None:
    place = agent.workspace / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def search(agent: AgentSnapshot, query: str, who: Principal = ADA, **more: Any) -> list[str]:
    found = memory_search(snapshot=agent, principal=who, query=query, **more)
    return [one.path for one in found]


def test_it_works(agent: AgentSnapshot) -> None:
    note(agent, "MEMORY.md", "# What stays\n\nThe printer is called Bob.\nThe cat is called Tom.\n")
    note(agent, "memory/2026-05-04.md", "Met Carla about the roof. She sends an offer by Friday.")
    (found,) = memory_search(snapshot=agent, principal=ADA, query="What did Carla promise?")
    assert (found.path, found.start, found.end) == ("memory/2026-05-04.md", 1, 1)
    assert found.citation == "memory/2026-05-04.md#L1"
    assert "offer by Friday" in found.snippet
    assert search(agent, "printers")[0] == "MEMORY.md"
    assert search(agent, "submarine") == []


def test_wide_scripts(agent: AgentSnapshot) -> None:
    note(agent, "memory/shared/office.md", "办公室打印机的名字叫老王。密码贴在背面。")
    note(agent, "memory/shared/cat.md", "猫喜欢睡在窗台上。")
    assert search(agent, "打印机叫什么名字")[0] == "memory/shared/office.md"
    assert search(agent, "窗台上的猫")[0] == "memory/shared/cat.md"


def test_changes_are_seen(agent: AgentSnapshot) -> None:
    note(agent, "memory/a.md", "The door code is 4711.")
    assert search(agent, "door code") == ["memory/a.md"]
    note(agent, "memory/a.md", "The gate opens by itself now.")
    assert search(agent, "door code") == []
    assert search(agent, "gate") == ["memory/a.md"]
    (agent.workspace / "memory" / "a.md").unlink()
    assert search(agent, "gate") == []


@pytest.mark.parametrize(
    ("path", "readers"),
    [
        ("MEMORY.md", [ADA]),
        ("memory/2026-01-01.md", [ADA]),
        ("memory/projects/roof.md", [ADA]),
        ("memory/shared/house.md", [ADA, BOB, EVE]),
        ("memory/people/p-bob/wishes.md", [BOB]),
        ("memory/people/p-ada/wishes.md", [ADA]),
        ("memory/people/list.md", [ADA]),
    ],
)
def test_whose_notes_they_are(agent: AgentSnapshot, path: str, readers: list[Principal]) -> None:
    note(agent, path, "The unicorn sleeps here.")
    for person in (ADA, BOB, EVE):
        wanted = [path] if person in readers else []
        assert search(agent, "unicorn", person) == wanted
        passage = memory_get(snapshot=agent, principal=person, path=path)
        assert bool(passage.text) == (person in readers)


def test_nobody_is_asked_for() -> None:
    assert audiences_for(Principal(id="")) == ("shared",)
    assert notes_folder(ADA) == "memory"
    assert notes_folder(BOB) == "memory/people/p-bob"


def test_lines_of_a_note(agent: AgentSnapshot) -> None:
    note(agent, "memory/long.md", "\n".join(f"line {number}" for number in range(1, 1001)))
    first = memory_get(snapshot=agent, principal=ADA, path="memory/long.md")
    assert first.text.startswith("line 1\n")
    assert first.next_from == 401
    some = memory_get(snapshot=agent, principal=ADA, path="memory/long.md#L5", start=5, lines=2)
    assert some.text == "line 5\nline 6"
    last = memory_get(snapshot=agent, principal=ADA, path="memory/long.md", start=999)
    assert (last.text, last.next_from) == ("line 999\nline 1000", None)


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md",
        "memory/../AGENTS.md",
        "../x.md",
        "/etc/passwd",
        "memory/a.txt",
        "",
        "memory",
        "x\0",
    ],
)
def test_only_notes_are_read(agent: AgentSnapshot, path: str) -> None:
    note(agent, "AGENTS.md", "secret")
    note(agent, "memory/a.txt", "secret")
    assert memory_get(snapshot=agent, principal=ADA, path=path).text == ""


def test_links_are_not_followed(agent: AgentSnapshot, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("The treasure is here.")
    note(agent, "memory/real.md", "nothing")
    (agent.workspace / "memory" / "link.md").symlink_to(tmp_path / "outside.md")
    (agent.workspace / "memory" / "folder").symlink_to(tmp_path)
    assert search(agent, "treasure") == []
    for path in ("memory/link.md", "memory/folder/outside.md"):
        assert memory_get(snapshot=agent, principal=ADA, path=path).text == ""


def test_a_damaged_index_is_made_anew(agent: AgentSnapshot) -> None:
    note(agent, "memory/a.md", "The gate opens by itself.")
    assert search(agent, "gate") == ["memory/a.md"]
    (index,) = (settings.OPENCLAW.home / "memory").glob("*.sqlite")
    for left in index.parent.glob("*.sqlite-*"):
        left.unlink()
    index.write_bytes(b"no database at all" * 500)
    assert search(agent, "gate") == ["memory/a.md"]


def test_old_notes_fade(agent: AgentSnapshot) -> None:
    today = datetime.now(UTC).date()
    old = f"memory/{today - timedelta(days=300)}.md"
    new = f"memory/{today - timedelta(days=1)}.md"
    note(agent, old, "Budget meeting, budget of the roof: budget is 10.")
    note(agent, new, "Talked about the budget and about many other things that day.")
    assert search(agent, "budget")[0] == old
    faded = {"query": {"hybrid": {"temporalDecay": {"enabled": True}}}}
    assert search(replace(agent, settings={"memorySearch": faded}), "budget") == [new]


def test_repeats_are_left_out(agent: AgentSnapshot) -> None:
    for number in range(4):
        note(agent, f"memory/copy{number}.md", "The roof costs ten thousand, says Carla.")
    note(agent, "memory/other.md", "A roof of straw would be cheaper but burns.")
    spread = {"query": {"maxResults": 2, "hybrid": {"mmr": {"enabled": True, "lambda": 0.3}}}}
    found = search(replace(agent, settings={"memorySearch": spread}), "roof")
    assert "memory/other.md" in found


def test_a_snippet_shows_the_place(agent: AgentSnapshot) -> None:
    lines = [f"Some words of day {number} that say little." for number in range(40)]
    lines[30] = "Here stands the passphrase of the attic."
    note(agent, "memory/days.md", "\n".join(lines))
    found = memory_search(snapshot=agent, principal=ADA, query="passphrase attic")[0]
    assert "passphrase of the attic" in found.snippet
    assert len(found.snippet) <= 700
    assert found.start <= 31 <= found.end
