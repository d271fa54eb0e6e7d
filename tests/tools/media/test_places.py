"""In a sandboxed turn files are those of the sandbox, never those of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.abort import AbortSignal
from agents.core.tools import Tool, ToolContext, ToolResult
from tests.model_server.fixture import ModelServer
from tests.model_server.media import MP4
from tests.tools.media.conftest import drawn, failure_of
from tests.tools.media.papers import written
from tools.builtin.image import IMAGE
from tools.builtin.image_generate import IMAGE_GENERATE
from tools.builtin.pdf import PDF
from tools.builtin.tts import TTS
from tools.builtin.video_generate import VIDEO_GENERATE
from tools.media.jobs import jobs_all
from tools.media.places import WorkspacePlace, place_of
from tools.media.videos import videos_check
from tools.sandbox.choice import sandbox_plan

pytestmark = pytest.mark.django_db(transaction=True)


async def executed(tool: Tool, context: ToolContext, arguments: Mapping[str, Any]) -> ToolResult:
    async def ignore(partial: ToolResult) -> None:
        pass

    return await tool.execute("call", arguments, context, AbortSignal(), ignore)


async def test_it_works(context: ToolContext, workspace: Path) -> None:
    place = await place_of(context)
    assert place == WorkspacePlace(workspace)
    assert place.write("media/a.txt", b"hello") == "media/a.txt"
    assert place.read("media/a.txt", 5).data == b"hello"
    found = place.read("media/a.txt", 4)
    assert (found.data, found.size) == (None, 5)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (IMAGE, {"image": "a.png"}),
        (PDF, {"pdf": "a.pdf"}),
        (IMAGE_GENERATE, {"prompt": "a barn"}),
        (IMAGE_GENERATE, {"prompt": "a barn", "image": "a.png"}),
        (TTS, {"text": "Hello."}),
        (VIDEO_GENERATE, {"prompt": "a fox"}),
    ],
)
async def test_without_its_sandbox_nothing_is_read_or_paid_for(
    services: ModelServer,
    context: ToolContext,
    workspace: Path,
    tool: Tool,
    arguments: Mapping[str, Any],
) -> None:
    drawn(workspace / "a.png")
    (workspace / "a.pdf").write_bytes(written("Secret."))
    text = await failure_of(executed(tool, replace(context, sandboxed=True), arguments))
    assert "belongs into a sandbox" in text
    assert services.requests() == []


async def test_a_video_comes_into_the_folder_of_the_sandbox(
    services: ModelServer,
    context: ToolContext,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "OPENCLAW", replace(settings.OPENCLAW, home=tmp_path))
    plan = sandbox_plan(
        {"sandbox": {"mode": "all"}},
        agent="main",
        session_key=context.session_key,
        workspace=workspace,
        home=tmp_path,
    )
    assert plan is not None
    assert plan.is_own_folder
    plan.folder.mkdir(parents=True)
    inside = replace(context, sandboxed=True, settings={"sandbox": plan})
    await executed(VIDEO_GENERATE, inside, {"prompt": "a fox"})
    await videos_check()
    (path,) = jobs_all()[0].paths
    assert (plan.folder / path).read_bytes() == MP4
    assert not (workspace / "media").exists()
