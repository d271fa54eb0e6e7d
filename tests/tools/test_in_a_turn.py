"""The tools in a whole turn: prepared, checked, judged, run in order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.core.messages import ToolCall, ToolResultMessage, blocks_text
from agents.core.principal import Principal
from agents.core.session import AgentSession, create_agent_session
from agents.core.testing import SCRIPTED_MODEL, ScriptedModel, asks_for
from agents.core.tools import ToolContext
from tools.gate import PolicyGate
from tools.registry import TOOLS, register_builtin_tools

pytestmark = pytest.mark.django_db

register_builtin_tools()


def turn(workspace: Path, *calls: tuple[str, dict[str, Any]], owner: bool = True) -> list[str]:
    """One turn with these calls in one batch; returns their results, errors marked."""
    numbered = [ToolCall(str(number), *call) for number, call in enumerate(calls)]
    session = create_agent_session(
        model=SCRIPTED_MODEL,
        client_or_stream_fn=ScriptedModel([asks_for(*numbered), "Done."]),
        tools=[tool for _, tool in TOOLS],
        workspace=workspace,
        gate=_GateAs(owner),
    )
    asyncio.run(session.prompt("Go."))
    return _results(session)


class _GateAs(PolicyGate):
    """The gate as it judges for the owner, or for somebody else."""

    def __init__(self, owner: bool) -> None:
        self._principal = Principal("p", is_owner=owner)

    async def judge(self, calls: Any, context: ToolContext) -> Any:
        return await super().judge(calls, replace(context, principal=self._principal))


def _results(session: AgentSession) -> list[str]:
    results = [message for message in session.messages if isinstance(message, ToolResultMessage)]
    return [("error: " if r.is_error else "") + blocks_text(r.content) for r in results]


def test_it_works(workspace: Path) -> None:
    assert turn(
        workspace,
        ("write", {"file_path": "a.txt", "content": "one\n"}),
        ("edit", {"path": "a.txt", "old_string": "one", "new_string": "two"}),
        ("edit", {"path": "a.txt", "edits": '[{"oldText": "two", "newText": "three"}]'}),
        ("read", {"path": "a.txt", "offset": "1"}),
        ("exec", {"command": "cat a.txt", "timeout": None}),
    ) == [
        "Created a.txt (4 bytes).",
        "Edited a.txt: 1 replacement.",
        "Edited a.txt: 1 replacement.",
        "three",
        "three",
    ]


def test_unknown_arguments_are_refused(workspace: Path) -> None:
    (result,) = turn(workspace, ("exec", {"command": "touch ran", "surprise": True}))
    assert result.startswith("error: ")
    assert "surprise" in result
    assert not (workspace / "ran").exists()


def test_a_command_goes_to_the_background(workspace: Path) -> None:
    begun, listed, removed = turn(
        workspace,
        ("exec", {"command": "sleep 60", "background": True}),
        ("process", {"action": "list"}),
        ("process", {"action": "clear"}),
    )
    name = begun.split(" as ")[1].split(" ")[0]
    assert f"{name}  running" in listed
    assert removed.startswith(("Nothing had ended", "Forgotten"))
    (result,) = turn(workspace, ("process", {"action": "remove", "session_id": name}))
    assert result == f"{name} was removed."


def test_a_denied_call_does_not_stop_the_others(workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello")
    denied, shown = turn(
        workspace, ("exec", {"command": "touch ran"}), ("read", {"path": "a.txt"}), owner=False
    )
    assert denied.startswith("error: Denied by the rule 'owner only'")
    assert shown == "hello"
    assert not (workspace / "ran").exists()


def test_errors_of_tools_reach_the_model(workspace: Path) -> None:
    missing, outside = turn(
        workspace, ("read", {"path": "none.txt"}), ("read", {"path": "../none.txt"})
    )
    assert missing.startswith("error: path: 'none.txt' not found")
    assert "outside the workspace" in outside
