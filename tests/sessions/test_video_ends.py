"""A video is there: the session that began it wakes, and the agent names the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.database import run_db
from scheduler.tasks import check_videos
from sessions.models import InboxItem, Session
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import KEY, Stage
from tools.media.jobs import jobs_all
from tools.media.videos import video_told, videos_check


@pytest.fixture(autouse=True)
def home(
    tmp_path: Path, settings: Any, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home of its own, and Google on the scripted server."""
    settings.OPENCLAW = replace(settings.OPENCLAW, home=tmp_path / "home")
    monkeypatch.setenv("GEMINI_API_KEY", "google-secret")
    monkeypatch.setenv("GOOGLE_BASE_URL", model_server.url)


async def begun(stage: Stage, prompt: str) -> None:
    """A turn that began a video and ended."""
    engine = await stage.engine()
    call = f"[[tool:video_generate {json.dumps({'prompt': prompt})}]]"
    accepted = await stage.accept(f"{call}[[final:begun]]")
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.idle(engine)
    assert item.run is not None
    assert item.run.reply == "begun"


async def wakes() -> list[InboxItem]:
    items = InboxItem.objects.filter(origin__kind="wake").order_by("id").select_related("run")
    return await run_db(lambda: list(items))


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    await begun(stage, "a fox")
    assert await wakes() == []
    assert await videos_check() == 1
    (job,) = jobs_all()
    (wake,) = await wakes()
    session = await run_db(lambda: Session.objects.get(key=KEY))
    stage.engines[0].submit(session.pk)
    await stage.idle(stage.engines[0])
    assert f"media/{Path(job.paths[0]).name}" in str(model_server.requests()[-1]["body"])
    (wake,) = await wakes()
    assert wake.outcome != ""
    assert await stage.faults() == []


async def test_it_is_told_once(stage: Stage) -> None:
    await begun(stage, "a fox [[refused]]")
    assert await videos_check() == 1
    # As after a kill between telling and noting that it was told.
    (job,) = jobs_all()
    await run_db(video_told, replace(job, seen=False))
    assert len(await wakes()) == 1


def test_without_a_video_the_tick_does_nothing() -> None:
    check_videos()
    assert jobs_all() == []
