"""The tool `image_generate`, through OpenAI's Images API and Gemini's image models."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import Image, blocks_text
from tests.model_server.fixture import ModelServer
from tests.tools.media.conftest import Run, Settle, drawn, failure_of
from tools.availability import tools_unavailable
from tools.builtin.image_generate import IMAGE_GENERATE
from tools.images import image_type

pytestmark = pytest.mark.django_db(transaction=True)


async def test_it_works(services: ModelServer, run: Run, workspace: Path) -> None:
    result = await run(
        IMAGE_GENERATE,
        prompt="a red barn",
        count=2,
        size="1536x1024",
        quality="low",
        output_format="png",
        filename="../my barn.jpeg",
        openai={"moderation": "low"},
    )
    paths = result.details["paths"]
    assert len(paths) == 2
    for path in paths:
        assert path.startswith("media/my-barn-")
        assert image_type((workspace / path).read_bytes()) == "image/png"
        assert f"MEDIA:./{path}" in blocks_text(result.content)
    assert isinstance(result.content[1], Image)
    asked = services.requests()[-1]
    assert asked["path"] == "/v1/images/generations"
    assert asked["headers"]["Authorization"] == "***"
    assert asked["body"] == {
        "model": "gpt-image-2.5-flare",
        "prompt": "a red barn",
        "n": 2,
        "size": "1536x1024",
        "quality": "low",
        "output_format": "png",
        "moderation": "low",
    }


async def test_pictures_are_changed(services: ModelServer, run: Run, workspace: Path) -> None:
    drawn(workspace / "a.png")
    drawn(workspace / "b.jpg")
    await run(IMAGE_GENERATE, prompt="merge", images=["a.png", "b.jpg"], aspectRatio="9:16")
    asked = services.requests()[-1]
    assert asked["path"] == "/v1/images/edits"
    assert [file[:3] for file in asked["body"]["files"]] == [
        ["image[]", "image-1.png", "image/png"],
        ["image[]", "image-2.jpeg", "image/jpeg"],
    ]
    assert asked["body"]["size"] == "1024x1536"


async def test_gemini(services: ModelServer, run: Run, workspace: Path) -> None:
    drawn(workspace / "a.png")
    result = await run(
        IMAGE_GENERATE,
        prompt="make it blue",
        image="a.png",
        model="google/gemini-3.1-flash-image",
        aspectRatio="16:9",
        resolution="2K",
        quality="high",
        count=2,
    )
    assert len(result.details["paths"]) == 2
    assert result.details["ignored"] == ["quality"]
    asked = services.requests()[-1]
    assert asked["path"] == "/v1beta/models/gemini-3.1-flash-image:generateContent"
    assert asked["headers"]["x-goog-api-key"] == "***"
    config = asked["body"]["generationConfig"]
    assert config["imageConfig"] == {"aspectRatio": "16:9", "imageSize": "2K"}
    text, image = asked["body"]["contents"][0]["parts"]
    assert (text["text"], image["inlineData"]["mimeType"]) == ("make it blue", "image/png")


async def test_a_configured_choice_and_its_fallback(
    services: ModelServer, settle: Settle, run: Run
) -> None:
    chain = {"primary": "google/gemini-3-pro-image", "fallbacks": ["openai/gpt-image-2"]}
    await settle(agents={"defaults": {"imageGenerationModel": chain}})
    result = await run(IMAGE_GENERATE, prompt="a barn")
    assert result.details["model"] == "google/gemini-3-pro-image"
    result = await run(IMAGE_GENERATE, prompt="a barn [[status:503:1]]")
    assert result.details["model"] == "openai/gpt-image-2"


async def test_a_refused_order_is_not_sent_elsewhere(services: ModelServer, run: Run) -> None:
    prompt = "[[status:400]] [[because:not allowed by the safety system, sk-openai-secret]]"
    text = await failure_of(run(IMAGE_GENERATE, prompt=prompt))
    assert "safety system" in text
    assert "sk-openai-secret" not in text
    assert len(services.requests()) == 1


async def test_an_answer_without_a_picture(services: ModelServer, run: Run) -> None:
    text = await failure_of(run(IMAGE_GENERATE, prompt="[[nothing]]"))
    assert "no picture came back" in text
    model = "google/gemini-3.1-flash-image"
    text = await failure_of(run(IMAGE_GENERATE, prompt="[[nothing]]", model=model))
    assert "Here it is." in text


async def test_a_service_that_hangs(services: ModelServer, run: Run) -> None:
    text = await failure_of(run(IMAGE_GENERATE, prompt="[[hang]]", timeoutMs=1000))
    assert "within 1 seconds" in text


async def test_a_stopped_turn(services: ModelServer, run: Run) -> None:
    signal = AbortSignal()
    working = asyncio.ensure_future(run(IMAGE_GENERATE, signal, prompt="[[hang]]"))
    await asyncio.to_thread(_first_request, services)
    signal.abort()
    assert await failure_of(working) == "aborted"


def _first_request(services: ModelServer) -> None:
    while not services.requests():
        time.sleep(0.02)


async def test_what_cannot_be(services: ModelServer, run: Run, workspace: Path) -> None:
    (workspace / "a.txt").write_text("no picture")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"prompt": " "}, "prompt: say"),
        ({"prompt": "x", "count": 5}, "count: must be 1 to 4"),
        ({"prompt": "x", "size": "huge"}, "size: must be WIDTHxHEIGHT"),
        ({"prompt": "x", "aspectRatio": "0:9"}, "aspectRatio: must be W:H"),
        ({"prompt": "x", "resolution": "8K"}, "resolution: must be one of"),
        ({"prompt": "x", "model": "anthropic/claude-sonnet-5"}, "anthropic cannot do this"),
        ({"prompt": "x", "model": "gpt-image-2"}, "write it as provider/model"),
        ({"prompt": "x", "image": "a.txt"}, "is no picture"),
        ({"prompt": "x", "images": ["a.txt"] + [f"{n}" for n in range(5)]}, "at most 5"),
        ({"prompt": "x", "action": "paint"}, "action: must be"),
    ]
    for given, words in cases:
        assert words in await failure_of(run(IMAGE_GENERATE, **given)), given
    assert services.requests() == []


async def test_the_models_are_listed(services: ModelServer, run: Run) -> None:
    result = await run(IMAGE_GENERATE, action="list")
    assert result.details["models"] == [
        "openai/gpt-image-2.5-flare",
        "google/gemini-3.1-flash-image",
    ]
    assert "while the call waits" in blocks_text(
        (await run(IMAGE_GENERATE, action="status")).content
    )


def test_without_a_key_it_is_not_offered() -> None:
    reason = dict(tools_unavailable())["image_generate"]
    assert "openai or google" in reason
    assert "agents.defaults.imageGenerationModel" in reason


def test_with_a_key_it_is(services: ModelServer) -> None:
    assert "image_generate" not in dict(tools_unavailable())
