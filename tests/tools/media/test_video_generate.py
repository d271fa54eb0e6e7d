"""The tool `video_generate`: begun at once, looked after by any process, told to the session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.abort import AbortSignal
from agents.core.messages import blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tests.model_server.fixture import ModelServer
from tests.model_server.media import MP4
from tests.tools.media.conftest import Run, Settle, drawn, failure_of
from tools.availability import tools_unavailable
from tools.builtin.video_generate import VIDEO_GENERATE
from tools.media import jobs as jobs_module
from tools.media.jobs import job_store, jobs_all, jobs_folder
from tools.media.videos import videos_check, videos_look, videos_open
from tools.sinks import BACKGROUND_ENDED, BackgroundEnded

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "OPENCLAW", replace(settings.OPENCLAW, home=tmp_path))


@pytest.fixture
def told() -> Iterator[list[BackgroundEnded]]:
    """What sessions are told."""
    others = {name: BACKGROUND_ENDED.get(name) for name in BACKGROUND_ENDED.names()}
    for name in others:
        BACKGROUND_ENDED.unregister(name)
    found: list[BackgroundEnded] = []
    BACKGROUND_ENDED.register("test", found.append)
    yield found
    BACKGROUND_ENDED.unregister("test")
    for name, sink in others.items():
        BACKGROUND_ENDED.register(name, sink)


async def test_it_works(
    services: ModelServer, run: Run, workspace: Path, told: list[BackgroundEnded]
) -> None:
    drawn(workspace / "a.png")
    result = await run(
        VIDEO_GENERATE,
        prompt="a fox jumps [[checks:1]]",
        image="a.png",
        aspectRatio="16:9",
        resolution="720p",
        duration_seconds=8,
        filename="fox",
    )
    asked = services.requests()[-1]
    assert asked["path"] == "/v1beta/interactions"
    assert asked["headers"]["x-goog-api-key"] == "***"
    picture, text = asked["body"].pop("input")
    assert (picture["type"], picture["mime_type"]) == ("image", "image/png")
    assert text == {"type": "text", "text": "a fox jumps [[checks:1]]"}
    assert asked["body"] == {
        "model": "gemini-omni-1.2-flash",
        "background": True,
        "store": True,
        "response_format": {
            "type": "video",
            "aspect_ratio": "16:9",
            "resolution": "720p",
            "duration": "8s",
        },
    }
    assert await videos_check() == 0
    assert told == []
    assert await videos_check() == 1
    (event,) = told
    assert event.session_key == "agent:main:main"
    (job,) = jobs_all()
    (path,) = job.paths
    assert path.startswith("media/fox-")
    assert (workspace / path).read_bytes() == MP4
    assert f"MEDIA:./{path}" in event.text
    assert result.details["jobId"] in event.text
    assert await videos_check() == 0
    assert len(told) == 1


async def test_the_agent_looks_first(
    services: ModelServer, run: Run, told: list[BackgroundEnded]
) -> None:
    begun = await run(VIDEO_GENERATE, prompt="a fox [[checks:1]] [[uri]]")
    name = begun.details["jobId"]
    first = await run(VIDEO_GENERATE, action="status", jobId=name)
    assert first.details["status"] == "working"
    second = await run(VIDEO_GENERATE, action="status", job_id=name)
    assert second.details["status"] == "done"
    assert "MEDIA:./media/video-" in blocks_text(second.content)
    assert await videos_check() == 0
    assert told == []
    listed = await run(VIDEO_GENERATE, action="list")
    assert listed.details["jobs"][0]["status"] == "done"


async def test_a_refused_video(
    services: ModelServer, run: Run, told: list[BackgroundEnded]
) -> None:
    await run(VIDEO_GENERATE, prompt="somebody [[refused]]")
    assert await videos_check() == 1
    assert "The prompt shows a real person." in told[0].text


async def test_a_file_elsewhere_is_not_fetched_with_the_key(
    services: ModelServer, run: Run, told: list[BackgroundEnded]
) -> None:
    await run(VIDEO_GENERATE, prompt="a fox [[elsewhere]]")
    assert await videos_check() == 1
    assert "not at the service's address" in told[0].text


async def test_a_job_that_the_service_forgot(
    services: ModelServer, run: Run, told: list[BackgroundEnded]
) -> None:
    await run(VIDEO_GENERATE, prompt="a fox")
    (job,) = jobs_all()
    job_store(replace(job, job="v1_gone"))
    assert await videos_check() == 1
    assert "could not be made" in told[0].text


async def test_a_service_that_is_away_is_asked_again(
    services: ModelServer, run: Run, told: list[BackgroundEnded], monkeypatch: pytest.MonkeyPatch
) -> None:
    await run(VIDEO_GENERATE, prompt="a fox")
    with monkeypatch.context() as away:
        away.setenv("GOOGLE_BASE_URL", "http://127.0.0.1:9")
        assert await videos_check() == 0
    assert [job.state for job in jobs_all()] == ["working"]
    assert await videos_check() == 1
    assert "is finished" in told[0].text


async def test_nobody_waits_for_ever(
    services: ModelServer, run: Run, told: list[BackgroundEnded]
) -> None:
    await run(VIDEO_GENERATE, prompt="a fox [[checks:9]]")
    (job,) = jobs_all()
    job_store(replace(job, created=job.created - jobs_module.GIVEN_UP_AFTER - 1))
    assert await videos_check() == 1
    assert "within a day" in told[0].text
    job_store(replace(jobs_all()[0], created=job.created - jobs_module.FORGOTTEN_AFTER - 1))
    assert videos_open() == []
    assert jobs_all() == []


async def test_others_do_not_see_it(services: ModelServer, run: Run, context: ToolContext) -> None:
    begun = await run(VIDEO_GENERATE, prompt="a fox")
    other = replace(context, principal=Principal("p2"))

    async def ignore(partial: ToolResult) -> None:
        pass

    arguments = {"action": "status", "jobId": begun.details["jobId"]}
    text = await failure_of(VIDEO_GENERATE.execute("c", arguments, other, AbortSignal(), ignore))
    assert "there is no video" in text
    listed = await VIDEO_GENERATE.execute("c", {"action": "list"}, other, AbortSignal(), ignore)
    assert listed.details["jobs"] == []


async def test_what_cannot_be(services: ModelServer, settle: Settle, run: Run) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "prompt: say"),
        ({"prompt": "x", "aspectRatio": "wide"}, "aspectRatio: must be W:H"),
        ({"prompt": "x", "resolution": "8k"}, "resolution: must be one of"),
        ({"prompt": "x", "durationSeconds": 61}, "durationSeconds: must be at most 60"),
        ({"prompt": "x", "image": "none.png"}, "not found"),
        ({"prompt": "x", "model": "openai/sora-2"}, "openai cannot do this"),
        ({"action": "status"}, "jobId: say which"),
        ({"action": "status", "jobId": "../x"}, "there is no video"),
        ({"action": "film"}, "action: must be"),
    ]
    for given, words in cases:
        assert words in await failure_of(run(VIDEO_GENERATE, **given)), given
    assert services.requests() == []
    for _ in range(4):
        await run(VIDEO_GENERATE, prompt="a fox [[checks:9]]")
    assert "already" in await failure_of(run(VIDEO_GENERATE, prompt="a fifth"))


def test_damaged_files_are_passed_over() -> None:
    jobs_folder().mkdir()
    (jobs_folder() / "a.json").write_text("{")
    (jobs_folder() / "b.json").write_text("[]")
    assert jobs_all() == []
    assert videos_look() == 0


def test_without_a_key_it_is_not_offered() -> None:
    assert "agents.defaults.videoGenerationModel" in dict(tools_unavailable())["video_generate"]


def test_with_a_key_it_is(services: ModelServer) -> None:
    assert "video_generate" not in dict(tools_unavailable())
