"""Turns of sessions that belong into a sandbox."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from agents.config.services import config_apply
from agents.database import run_db
from agents.selectors import agent_snapshot
from sessions.artifacts import artifact_store, attachment_blocks
from sessions.models import Prompt
from sessions.tool_policy import policy_explain
from sessions.turns.sandboxes import session_folder
from tests.sessions.context_stage import owner
from tests.sessions.stage import Stage
from tests.sessions.test_session_status import turned


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")


async def settings(text: str) -> None:
    await run_db(lambda: config_apply(text=f"{{agents: {{defaults: {{sandbox: {text}}}}}}}"))


async def test_it_works(stage: Stage, no_engine: None, tmp_path: Path) -> None:
    """Without an engine nothing runs, and the agent is told so."""
    await settings("{mode: 'all', workspaceAccess: 'rw'}")
    ran = tmp_path / "ran"
    for call in (
        ("exec", {"command": f"touch {ran}"}),
        ("write", {"path": "ran", "content": "x"}),
        ("read", {"path": "AGENTS.md"}),
    ):
        answer = await turned(stage, f"[[tool:{call[0]} {json.dumps(call[1])}]]")
        assert "sandbox engine (Docker) cannot be reached" in answer
    snapshot = await run_db(lambda: agent_snapshot(slug="main"))
    assert not ran.exists()
    assert not (Path(snapshot.workspace) / "ran").exists()
    systems = await run_db(lambda: list(Prompt.objects.values_list("system", flat=True)))
    assert all("Your tools work inside of a container" in system for system in systems)


async def test_sessions_outside_know_nothing_of_it(stage: Stage, no_engine: None) -> None:
    await settings("{mode: 'non-main'}")
    snapshot = await run_db(lambda: agent_snapshot(slug="main"))
    assert session_folder(snapshot, "agent:main:main") == Path(snapshot.workspace)
    assert session_folder(snapshot, "agent:main:web:1") != Path(snapshot.workspace)


async def test_explanations_know_of_it(stage: Stage) -> None:
    await settings("{mode: 'non-main'}")
    principal = await run_db(owner)
    for key, inside in (("agent:main:main", False), ("agent:main:web:1", True)):
        explained = await run_db(partial(policy_explain, principal=principal, session=key))
        assert explained.is_sandboxed is inside


async def test_attached_files_are_not_written_through_links(stage: Stage, tmp_path: Path) -> None:
    """A sandboxed agent may have made the folder for them a link to somewhere else."""
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    for folder in (workspace, outside):
        folder.mkdir()
    (workspace / "inbox").symlink_to(outside)
    principal = await run_db(owner)
    artifact = await run_db(
        lambda: artifact_store(principal=principal, name="a.bin", mime_type="", data=b"\0\1\2")
    )
    reference = {"id": artifact.id, "name": "a.bin"}
    blocks = await run_db(lambda: attachment_blocks(references=[reference], workspace=workspace))
    assert "could not be put into the workspace" in blocks[artifact.id]["text"]
    assert list(outside.iterdir()) == []
