"""The tools of memory, with whatever searches behind them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from agents.database import run_db
from agents.memory.backends import MEMORY_BACKENDS
from agents.memory.search import Found, Passage
from tools.builtin.memory_get import MEMORY_GET
from tools.builtin.memory_search import MEMORY_SEARCH

pytestmark = pytest.mark.django_db(transaction=True)
OWNER = Principal("p-ada", is_owner=True)
GUEST = Principal("p-bob")


class Talkative:
    """Gives back everybody's notes to everybody."""

    def search(self, **_asked: Any) -> Sequence[Found]:
        paths = ("MEMORY.md", "memory/shared/a.md", "memory/people/p-bob/b.md", "AGENTS.md")
        return [Found(path, 1, 1, 1.0, f"text of {path}") for path in paths]

    def get(self, *, path: str, **_asked: Any) -> Passage:
        return Passage(path, f"text of {path}")


class Broken(Talkative):
    """Fails."""

    def search(self, **_asked: Any) -> Sequence[Found]:
        raise RuntimeError("the service is away")


@pytest.fixture(autouse=True)
def _backends() -> Iterator[None]:
    MEMORY_BACKENDS.register("talkative", Talkative())
    MEMORY_BACKENDS.register("broken", Broken())
    yield
    MEMORY_BACKENDS.unregister("talkative")
    MEMORY_BACKENDS.unregister("broken")


async def configure(tmp_path: Path, slot: str = "memory-core", search: str = "{}") -> None:
    main = f"{{id: 'main', workspace: '{tmp_path}', memorySearch: {search}}}"
    text = f"{{agents: {{list: [{main}]}}, plugins: {{slots: {{memory: '{slot}'}}}}}}"
    await run_db(lambda: config_apply(text=text))


async def ask(tool: Any, who: Principal, tmp_path: Path, **arguments: Any) -> dict[str, Any]:
    async def ignore(_partial: ToolResult) -> None:
        return None

    context = ToolContext("main", "agent:main:main", tmp_path, who)
    result = await tool.execute("1", arguments, context, AbortSignal(), ignore)
    found: dict[str, Any] = json.loads(result.content[0].text)
    return found


async def test_it_works(tmp_path: Path) -> None:
    await configure(tmp_path)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-05-04.md").write_text("Carla mends the roof.\nOn Friday.")
    found = await ask(MEMORY_SEARCH, OWNER, tmp_path, query="roof")
    (one,) = found["results"]
    assert one["citation"] == "memory/2026-05-04.md#L1-L2"
    assert found["notesFolder"] == "memory"
    read = await ask(MEMORY_GET, OWNER, tmp_path, path=one["path"], **{"from": 2})
    assert read == {"path": "memory/2026-05-04.md", "text": "On Friday."}
    assert (await ask(MEMORY_SEARCH, GUEST, tmp_path, query="roof"))["results"] == []


async def test_no_back_end_tells_what_is_somebody_elses(tmp_path: Path) -> None:
    await configure(tmp_path, "talkative")

    async def paths(who: Principal) -> list[str]:
        found = await ask(MEMORY_SEARCH, who, tmp_path, query="x")
        return [one["path"] for one in found["results"]]

    assert await paths(OWNER) == ["MEMORY.md", "memory/shared/a.md"]
    assert await paths(GUEST) == ["memory/shared/a.md", "memory/people/p-bob/b.md"]
    for who, path, text in (
        (OWNER, "MEMORY.md", "text of MEMORY.md"),
        (OWNER, f"{tmp_path}/memory/people/p-bob/b.md", ""),
        (OWNER, "./memory/people/p-bob/b.md", ""),
        (GUEST, "memory/people/p-bob/b.md", "text of memory/people/p-bob/b.md"),
        (GUEST, "MEMORY.md", ""),
        (GUEST, "AGENTS.md", ""),
        (GUEST, "memory/../MEMORY.md", ""),
    ):
        assert (await ask(MEMORY_GET, who, tmp_path, path=path))["text"] == text, path


@pytest.mark.parametrize(
    ("slot", "search", "reason"),
    [
        ("none", "{}", "switched off"),
        ("memory-core", "{enabled: false}", "switched off"),
        ("broken", "{}", "RuntimeError"),
        ("lancedb", "{}", "no plugin that is loaded brings it. There are: memory-core"),
    ],
)
async def test_without_a_search(tmp_path: Path, slot: str, search: str, reason: str) -> None:
    """It says so, and that the notes can be read all the same."""
    await configure(tmp_path, slot, search)
    found = await ask(MEMORY_SEARCH, OWNER, tmp_path, query="x")
    assert found["disabled"]
    assert reason in found["error"]
    assert "MEMORY.md" in found["action"]
    if slot in ("none", "lancedb"):
        with pytest.raises(ToolError, match=r"plugins\.slots\.memory"):
            await ask(MEMORY_GET, OWNER, tmp_path, path="MEMORY.md")
