"""What skills give to a turn."""

from __future__ import annotations

import json
from pathlib import Path

from agents.config.services import config_apply
from agents.database import run_db
from agents.skills.catalog import BUNDLED, skills_forget
from sessions.models import Prompt, ToolCall
from tests.sessions.stage import Stage
from tests.sessions.test_session_status import turned


async def test_it_works(stage: Stage) -> None:
    """A skill outside of the workspace is read, and the prompt names it."""
    file = BUNDLED / "tidy-notes" / "SKILL.md"
    answer = await turned(stage, f"[[tool:read {json.dumps({'path': str(file)})}]]")
    assert "# Tidying notes" in answer
    systems = await run_db(lambda: list(Prompt.objects.values_list("system", flat=True)))
    assert any(str(file) in system for system in systems)
    assert await stage.faults() == []


async def test_nothing_beside_a_skill_is_read(stage: Stage) -> None:
    """Neither above its folder nor what is no skill's."""
    for path in (
        BUNDLED.parent / "catalog.py",
        BUNDLED / "tidy-notes" / ".." / ".." / "catalog.py",
        BUNDLED / "tidy-notes",
        Path("/etc/hostname"),
    ):
        arguments = json.dumps({"path": str(path)})
        assert "leads outside the workspace" in await turned(stage, f"[[tool:read {arguments}]]")


async def test_nothing_is_written_there(stage: Stage) -> None:
    """Skills are read, never changed."""
    file = BUNDLED / "tidy-notes" / "SKILL.md"
    before = file.read_bytes()
    for call in (
        ("write", {"path": str(file), "content": "x"}),
        ("edit", {"path": str(file), "edits": [{"oldText": "Tidying", "newText": "x"}]}),
    ):
        answer = await turned(stage, f"[[tool:{call[0]} {json.dumps(call[1])}]]")
        assert "outside the workspace" in answer
    assert file.read_bytes() == before


async def test_variables_of_a_skill(stage: Stage) -> None:
    """Commands of the run get them; dangerous names never."""
    entries = "{'tidy-notes': {env: {NOTES_KEY: 'k-17', PATH: '/evil', LD_PRELOAD: '/evil.so'}}}"
    text = f"{{tools: {{exec: {{security: 'full', ask: 'off'}}}}, skills: {{entries: {entries}}}}}"
    await run_db(lambda: config_apply(text=text))
    skills_forget()
    answer = await turned(stage, '[[tool:exec {"command": "echo $NOTES_KEY $PATH $LD_PRELOAD"}]]')
    assert "k-17" in answer
    assert "evil" not in answer
    calls = await run_db(lambda: list(ToolCall.objects.values_list("arguments", flat=True)))
    assert "k-17" not in json.dumps(calls)
    skills_forget()
