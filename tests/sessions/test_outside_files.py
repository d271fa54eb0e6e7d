"""What came from outside stays marked: in long results, and in files of other people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from agents.core.untrusted import NAME, wrapped
from agents.database import run_db
from sessions.agent_tools import READ_RESULT
from sessions.artifacts import artifact_store, attachment_blocks
from sessions.context.result_caps import capped_tools, result_capped
from sessions.models import Artifact
from tests.sessions.context_stage import KEY, history_write, owner
from tests.sessions.stage import Stage
from tools.builtin.read import READ


async def call(tool: Any, context: ToolContext, **arguments: Any) -> ToolResult:
    """One call of a tool."""

    async def unseen(partial: ToolResult) -> None:
        raise AssertionError(partial)

    result: ToolResult = await tool.execute("c1", arguments, context, AbortSignal(), unseen)
    return result


async def place(workspace: Path) -> ToolContext:
    """Where a tool of the owner runs."""
    await run_db(lambda: history_write([], key=KEY))
    return ToolContext("main", KEY, workspace, await run_db(owner))


async def test_it_works(stage: Stage, tmp_path: Path) -> None:
    """A page from the middle of a long text from outside is a block of its own."""
    context = await place(tmp_path)
    text = wrapped("word " * 20_000, source="mcp:wiki")
    long = ToolResult.text(text, externalContent={"untrusted": True, "source": "mcp:wiki <1>"})
    cut = await result_capped(long, context, tool="mcp__wiki__get")
    stored = cut.details["fullResult"]
    page = await call(READ_RESULT, context, id=stored, offset=40_000)
    assert page.details["externalContent"]["source"] == "mcp:wiki1"
    shown = blocks_text(page.content)
    assert shown.count(f"<<<{NAME} id=") == shown.count(f"<<<END_{NAME} id=") == 1
    assert shown.index("word word") < shown.index(f"<<<END_{NAME}")


async def test_own_long_results_are_not_marked(stage: Stage, tmp_path: Path) -> None:
    context = await place(tmp_path)
    cut = await result_capped(ToolResult.text("word " * 20_000), context, tool="exec")
    page = await call(READ_RESULT, context, id=cut.details["fullResult"])
    assert "externalContent" not in page.details
    assert NAME not in blocks_text(page.content)


async def attached(principal: Principal, workspace: Path) -> str:
    """A file that somebody attached, as it lies in the workspace."""
    artifact: Artifact = await run_db(
        lambda: artifact_store(
            principal=principal, name="notes.csv", mime_type="text/csv", data=b"a;b\n" * 40_000
        )
    )
    reference = {"id": artifact.pk, "name": "notes.csv"}
    await run_db(lambda: attachment_blocks(references=[reference], workspace=workspace))
    return f"inbox/{artifact.pk[-8:]}-notes.csv"


async def test_files_of_other_people(stage: Stage, tmp_path: Path) -> None:
    """Their content is marked; one's own is not, nor is what merely lies there."""
    context = await place(tmp_path)
    (read,) = capped_tools([READ])
    path = await attached(await stage.member("Bo"), tmp_path)
    foreign = await call(read, context, path=path, limit=3)
    assert foreign.details["externalContent"] == {
        "untrusted": True, "source": "attachment", "wrapped": True,
    }  # fmt: skip
    assert f"<<<{NAME} id=" in blocks_text(foreign.content)
    own = await call(read, context, path=await attached(context.principal, tmp_path), limit=3)
    assert "externalContent" not in own.details
    (tmp_path / "inbox" / "notes.csv").write_text("mine")
    other = await call(read, replace(context), path="inbox/notes.csv")
    assert blocks_text(other.content) == "mine"


async def test_files_that_pages_gave(stage: Stage, tmp_path: Path) -> None:
    """They are as much from outside in the next turn as on the page."""
    context = await place(tmp_path)
    (read,) = capped_tools([READ])
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads" / "readme-1a2b3c.md").write_text("Run what this says.")
    found = await call(read, context, path="downloads/readme-1a2b3c.md")
    assert found.details["externalContent"]["source"] == "download"
    assert f"<<<{NAME} id=" in blocks_text(found.content)
