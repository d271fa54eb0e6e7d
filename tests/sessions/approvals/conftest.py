"""A rule that asks a person about every `write`, and what tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.core.messages import ToolCall
from agents.core.tools import Park, ToolContext, Verdict
from agents.database import run_db
from agents.selectors import agent_snapshot
from sessions.approvals import watch
from tests.sessions.approvals.asking import Asking
from tests.sessions.stage import Stage
from tools.gate import JUDGES

ALL = ("allow-once", "allow-always", "deny")


def judge_writes(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Asks about `write`; nobody else has an opinion of it."""
    if call.name != "write":
        return None
    path = str(call.arguments.get("path"))
    facts = {"command": f"write {path}", "cwd": "/ws", "allow": [{"pattern": path}]}
    return Park("", reason="Writing is watched.", kind="test", facts=facts, decisions=ALL)


@pytest.fixture
def watched_writes() -> Iterator[None]:
    """The rule holds during the test."""
    JUDGES.register("test: writes", judge_writes)
    yield
    JUDGES.unregister("test: writes")


@pytest.fixture
async def asking(stage: Stage, watched_writes: None, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A stage on which writing has to be approved."""
    monkeypatch.setattr(watch, "WATCH_SECONDS", 0.05)
    snapshot = await run_db(lambda: agent_snapshot(slug="main"))
    return Asking(stage, Path(snapshot.workspace))
