"""A workspace in a fresh folder and a way to call tools in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.principal import Principal
from agents.core.tools import Tool, ToolContext, ToolResult

Call = Callable[..., ToolResult]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The agent's folder; its parent is outside."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def context(workspace: Path) -> ToolContext:
    """A turn of the owner."""
    return ToolContext("main", "agent:main:main", workspace, Principal("p1", is_owner=True))


@pytest.fixture
def call(context: ToolContext) -> Call:
    """Calls a tool and waits for its result; `updates` collects partial ones."""

    def run(tool: Tool, updates: list[ToolResult] | None = None, **arguments: Any) -> ToolResult:
        async def keep(partial: ToolResult) -> None:
            if updates is not None:
                updates.append(partial)

        async def execute() -> ToolResult:
            return await tool.execute("call", arguments, context, AbortSignal(), keep)

        return asyncio.run(execute())

    return run
