"""Providers on the scripted server, settings in a database, and calls of the tools of media."""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import Tool, ToolContext, ToolResult
from agents.database import run_db
from tests.model_server.fixture import ModelServer

Settle = Callable[..., Awaitable[list[str]]]
Run = Callable[..., Awaitable[ToolResult]]
_VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_BASE_URL", "ELEVENLABS_API_KEY", "OPENCLAW_MODEL",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def services(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """OpenAI, Google and Anthropic on the scripted server, each with a key."""
    model_server.reset()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.openai_url)
    monkeypatch.setenv("GEMINI_API_KEY", "google-secret")
    monkeypatch.setenv("GOOGLE_BASE_URL", model_server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "anthropic-secret")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model_server.url)
    return model_server


@pytest.fixture
def settle() -> Settle:
    """Makes the configuration what is given; gives back the warnings."""

    async def apply(**sections: Any) -> list[str]:
        report = await run_db(config_apply, text=json.dumps(sections))
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


async def failure_of(call: Awaitable[ToolResult]) -> str:
    """What the tool complains of."""
    with pytest.raises(ToolError) as caught:
        await call
    return caught.value.message


def drawn(path: Path, size: tuple[int, int] = (40, 30), *, mode: str = "RGB", **save: Any) -> bytes:
    """A picture of one colour at `path`, whose ending says the format; its bytes."""
    buffer = io.BytesIO()
    endings = {"jpg": "JPEG", "tif": "TIFF"}
    kind = path.suffix[1:]
    Image.new(mode, size, 100).save(buffer, endings.get(kind, kind.upper()), **save)
    path.write_bytes(buffer.getvalue())
    return buffer.getvalue()
