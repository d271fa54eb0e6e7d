"""What tools make is kept with the conversation and shown on its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from agents.database import run_db
from channels_app.pages.transcript import made_files, transcript_shown
from channels_app.uploads import download_type
from sessions.artifacts import artifact_path
from sessions.models import Artifact, Entry, Run
from sessions.showing import Showing
from tests.sessions.stage import Stage
from tools.images import image_type


async def _made(stage: Stage, tool: str, **arguments: Any) -> Run:
    engine = await stage.engine()
    call = f"[[tool:{tool} {json.dumps(arguments)}]]"
    accepted = await stage.accept(f"{call}[[final:Here it is.]]")
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


def _page(run: Run) -> str:
    entries = list(Entry.objects.filter(run_id=run.pk).order_by("seq"))
    shown = transcript_shown(entries, Showing())
    found = [message for message in shown if message.role == "assistant"]
    return "".join(
        render_to_string("parts/message_agent.html", {"message": one, "showing": Showing()})
        for one in found
    )


async def test_it_works(stage: Stage) -> None:
    run = await _made(stage, "image_generate", prompt="a barn", count=2)
    artifacts = await run_db(lambda: list(Artifact.objects.order_by("created_at")))
    assert [one.mime_type for one in artifacts] == ["image/png", "image/png"]
    assert image_type(artifact_path(artifacts[0]).read_bytes()) == "image/png"
    html = await run_db(_page, run)
    for one in artifacts:
        assert f'src="/chat/attachments/{one.pk}/"' in html
    assert html.count("<img") == 2


async def test_sound_is_played(stage: Stage) -> None:
    run = await _made(stage, "tts", text="Good morning.")
    artifact = await run_db(Artifact.objects.get)
    assert download_type(artifact) == "audio/mpeg"
    html = await run_db(_page, run)
    assert "<audio" in html
    assert f'src="/chat/attachments/{artifact.pk}/"' in html
    assert Path(artifact.name).suffix == ".mp3"


@pytest.mark.parametrize(
    "details",
    [
        None,
        [],
        {"files": "x"},
        {"files": [1]},
        {"files": [{"id": "../x", "mimeType": "image/png"}]},
        {"files": [{"id": "a", "mimeType": "text/html"}]},
        {"files": [{"mimeType": "image/svg+xml"}]},
    ],
)
def test_what_other_tools_write_there(details: Any) -> None:
    assert made_files({"details": details}) == []
