"""Settings in a database, and calls of the tools of the web."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.messages import blocks_text
from agents.core.tools import Tool, ToolContext, ToolResult
from agents.database import run_db

Settle = Callable[..., Awaitable[list[str]]]
Run = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def settle() -> Settle:
    """Makes `tools.web` what is given; gives back the warnings."""

    async def apply(**web: Any) -> list[str]:
        text = json.dumps({"tools": {"web": web}})
        report = await run_db(config_apply, text=text)
        return [str(issue) for issue in report.warnings]

    return apply


@pytest.fixture
def run(context: ToolContext) -> Run:
    """Calls a tool."""

    async def execute(
        tool: Tool, signal: AbortSignal | None = None, **arguments: Any
    ) -> ToolResult:
        async def ignore(partial: ToolResult) -> None:
            pass

        return await tool.execute("call", arguments, context, signal or AbortSignal(), ignore)

    return execute


def shown(result: ToolResult) -> dict[str, Any]:
    """The JSON that the model gets; it is the same as the details."""
    facts: dict[str, Any] = json.loads(blocks_text(result.content))
    assert facts == result.details
    return facts
