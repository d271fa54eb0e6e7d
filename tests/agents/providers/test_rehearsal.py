"""The ten requests of the rehearsal model, with real files and commands."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import Image, Message, Text, ToolCall, ToolResultMessage, UserMessage
from agents.core.model import Done, Failed, ModelRequest, TextDelta, ToolSchema
from agents.providers.registry import ClientPool
from agents.providers.rehearsal.client import REHEARSAL_MODEL
from agents.providers.rehearsal.scripts import REHEARSALS, rehearsal_find
from tests.agents.providers.harness import Outcome

MODEL = replace(REHEARSAL_MODEL, params={"delayMs": 0})
TOOLS = tuple(
    ToolSchema(name, name, {"type": "object"}) for name in ("read", "write", "edit", "exec")
)
PROMPTS = {item.id: item.prompt for item in REHEARSALS}


@dataclass
class Workspace:
    """Four tools in a folder, as small as they can be."""

    folder: Path
    pool: ClientPool
    messages: list[Message] = field(default_factory=list)

    def read(self, arguments: Mapping[str, Any]) -> str:
        path: Path = self.folder / arguments["path"]
        return path.read_text()

    def write(self, arguments: Mapping[str, Any]) -> str:
        (self.folder / arguments["path"]).write_text(arguments["content"])
        return "written"

    def edit(self, arguments: Mapping[str, Any]) -> str:
        text = self.read(arguments)
        for change in arguments["edits"]:
            if change["oldText"] not in text:
                raise OSError("oldText does not occur")
            text = text.replace(change["oldText"], change["newText"])
        return self.write({**arguments, "content": text})

    def exec(self, arguments: Mapping[str, Any]) -> str:
        command = ["/bin/sh", "-c", arguments["command"]]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True).stdout

    def run(self, call: ToolCall) -> ToolResultMessage:
        tool: Callable[[Mapping[str, Any]], str] = getattr(self, call.name)
        try:
            text, failed = tool(call.arguments), False
        except OSError as error:
            text, failed = str(error), True
        return ToolResultMessage(call.id, call.name, (Text(text),), is_error=failed)

    async def model(self, tools: Sequence[ToolSchema] = TOOLS) -> Outcome:
        """One answer of the model, added to the messages."""
        request = ModelRequest(MODEL, list(self.messages), tools=tools, session_id="s1")
        events = [event async for event in self.pool.stream(request, AbortSignal())]
        outcome = Outcome(events)
        self.messages.append(outcome.message)
        return outcome

    async def turn(self, text: str, tools: Sequence[ToolSchema] = TOOLS) -> tuple[str, list[str]]:
        """A whole turn: the last text, and the names of the tools that were called."""
        self.messages.append(UserMessage(text))
        called: list[str] = []
        while (outcome := await self.model(tools)).done.stop_reason == "toolUse":
            called += [call.name for call in outcome.calls]
            self.messages += map(self.run, outcome.calls)
            assert len(called) < 9
        return outcome.done.text, called


@pytest.fixture
def workspace(tmp_path: Path, pool: ClientPool) -> Workspace:
    """An empty folder."""
    return Workspace(tmp_path, pool)


async def test_it_works(workspace: Workspace) -> None:
    text, called = await workspace.turn(PROMPTS["help"])
    assert called == []
    assert all(prompt in text for prompt in PROMPTS.values())
    assert "ANTHROPIC_API_KEY" in text
    assert "/admin/" in text


async def test_list_files(workspace: Workspace) -> None:
    (workspace.folder / "visible.txt").touch()
    text, called = await workspace.turn(PROMPTS["list-files"])
    assert called == ["exec"]
    assert "visible.txt" in text


async def test_write_then_read_then_edit(workspace: Workspace) -> None:
    text, called = await workspace.turn(PROMPTS["write-file"])
    assert called == ["write"]
    assert "rehearsal.txt" in text
    text, called = await workspace.turn(PROMPTS["read-file"])
    assert called == ["read"]
    assert "The second line is plain." in text
    text, called = await workspace.turn(PROMPTS["edit-file"])
    assert called == ["edit"]
    assert "The second line was edited." in (workspace.folder / "rehearsal.txt").read_text()


async def test_read_writes_a_missing_file_first(workspace: Workspace) -> None:
    text, called = await workspace.turn(PROMPTS["read-file"])
    assert called == ["read", "write", "read"]
    assert "The second line is plain." in text


@pytest.mark.parametrize("times", [1, 2])
async def test_edit_works_without_the_file_and_twice(workspace: Workspace, times: int) -> None:
    for _ in range(times):
        text, called = await workspace.turn(PROMPTS["edit-file"])
        assert called == ["edit", "write", "edit"]
        assert "was edited" in text
    assert "was edited" in (workspace.folder / "rehearsal.txt").read_text()


async def test_run_a_command(workspace: Workspace) -> None:
    text, called = await workspace.turn(PROMPTS["run-command"])
    assert called == ["exec"]
    assert "Hello from the command line" in text


async def test_two_tools_at_once(workspace: Workspace) -> None:
    workspace.messages.append(UserMessage(PROMPTS["two-tools"]))
    outcome = await workspace.model()
    assert [call.name for call in outcome.calls] == ["exec", "write"]
    workspace.messages += map(workspace.run, outcome.calls)
    assert "together" in (await workspace.model()).done.text


async def test_long_text_comes_in_many_pieces(workspace: Workspace) -> None:
    workspace.messages.append(UserMessage(PROMPTS["long-text"]))
    outcome = await workspace.model()
    deltas = [event for event in outcome.events if isinstance(event, TextDelta)]
    assert len(deltas) > 300
    assert outcome.streamed == outcome.done.text


async def test_markdown(workspace: Workspace) -> None:
    text, _ = await workspace.turn(PROMPTS["markdown"])
    assert all(mark in text for mark in ("# ", "**", "| ", "```python", "> ", "- [x]"))


async def test_error_is_explained(workspace: Workspace) -> None:
    text, called = await workspace.turn(PROMPTS["error"])
    assert called == ["read"]
    assert "failed" in text
    assert "no-such-file.txt" in text


async def test_anything_else_gets_an_honest_answer(workspace: Workspace) -> None:
    text, called = await workspace.turn("What is the capital of France?")
    assert called == []
    assert "capital of France" in text
    assert "rehearsal" in text
    assert "OPENAI_API_KEY" in text
    text, _ = await workspace.turn("x" * 500)
    assert "x" * 81 not in text


async def test_images_are_counted(workspace: Workspace) -> None:
    workspace.messages.append(UserMessage((Text("look"), Image("AAAA", "image/png"))))
    assert "1 image" in (await workspace.model()).done.text


@pytest.mark.parametrize("item", REHEARSALS, ids=lambda item: item.id)
async def test_missing_tools_are_named(workspace: Workspace, item: Any) -> None:
    text, called = await workspace.turn(item.prompt, tools=())
    assert called == []
    needs_none = item.id in ("help", "long-text", "markdown")
    assert ("which I do not have" in text) is not needs_none


async def test_refused_tool_is_explained(workspace: Workspace) -> None:
    workspace.messages.append(UserMessage(PROMPTS["run-command"]))
    (call,) = (await workspace.model()).calls
    denied = ToolResultMessage(call.id, "exec", (Text("denied by policy"),), is_error=True)
    workspace.messages.append(denied)
    assert "denied by policy" in (await workspace.model()).done.text


async def test_call_ids_are_unique_in_a_session(workspace: Workspace) -> None:
    for item in [*REHEARSALS, *REHEARSALS]:
        await workspace.turn(item.prompt)
    ids = [m.tool_call_id for m in workspace.messages if isinstance(m, ToolResultMessage)]
    assert len(ids) > 12
    assert len(set(ids)) == len(ids)


async def test_same_request_gives_the_same_answer(workspace: Workspace) -> None:
    workspace.messages.append(UserMessage(PROMPTS["list-files"]))
    first = (await workspace.model()).calls
    workspace.messages.pop()
    assert (await workspace.model()).calls == first


async def test_abort_keeps_what_was_said(workspace: Workspace) -> None:
    signal = AbortSignal()
    request = ModelRequest(MODEL, [UserMessage(PROMPTS["long-text"])])
    events = []
    async for event in workspace.pool.stream(request, signal):
        events.append(event)
        if len(events) == 10:
            signal.abort()
    final = Outcome(events).final
    assert isinstance(final, Failed)
    assert final.error.reason == "aborted"
    assert final.message.text.startswith("This is paragraph 1")
    assert len(events) == 11


async def test_bad_delay_does_no_harm(workspace: Workspace) -> None:
    request = ModelRequest(
        replace(MODEL, params={"delayMs": "soon"}), [UserMessage("hi")], extra={"delayMs": None}
    )
    events = [event async for event in workspace.pool.stream(request, AbortSignal())]
    assert isinstance(events[-1], Done)


def test_requests_are_found_whatever_stands_around_them() -> None:
    for item in REHEARSALS:
        assert rehearsal_find(f"[Mon 10:00] {item.prompt.upper()}  ") == item
        assert rehearsal_find(item.id) == item
        assert rehearsal_find(item.label) == item
    assert rehearsal_find(f"{PROMPTS['help']}\n{PROMPTS['error']}") == REHEARSALS[-1]
    assert rehearsal_find("List the planets.") is None
    assert rehearsal_find("") is None


def test_there_are_ten_and_their_ids_differ() -> None:
    assert len({item.id for item in REHEARSALS}) == len(REHEARSALS) == 10
