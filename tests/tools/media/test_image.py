"""The tool `image` asks a model that sees, through the vendors' own formats."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from agents.core.messages import blocks_text
from tests.model_server.fixture import ModelServer
from tests.model_server.media import png
from tests.tools.media.conftest import Run, Settle, drawn, failure_of
from tools.availability import tools_unavailable
from tools.builtin.image import IMAGE

pytestmark = pytest.mark.django_db(transaction=True)
SEEING = {"imageModel": "openai/gpt-6-sol"}


def asked(server: ModelServer) -> list[dict[str, Any]]:
    """The parts of the newest question over Chat Completions."""
    parts: list[dict[str, Any]] = server.requests()[-1]["body"]["messages"][-1]["content"]
    return parts


async def test_it_works(services: ModelServer, settle: Settle, run: Run, workspace: Path) -> None:
    await settle(agents={"defaults": SEEING})
    data = drawn(workspace / "a.png")
    result = await run(IMAGE, prompt="What is it? [[echo:a red field]]", image="a.png")
    assert blocks_text(result.content) == "a red field"
    assert result.details["model"] == "openai/gpt-6-sol"
    assert result.details["images"] == [{"source": "a.png", "width": 40, "height": 30}]
    text, image = asked(services)
    assert "What is it?" in text["text"]
    assert image["image_url"]["url"] == f"data:image/png;base64,{base64.b64encode(data).decode()}"


async def test_several_from_everywhere(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    await settle(agents={"defaults": SEEING})
    drawn(workspace / "a.jpg")
    inline = f"data:image/png;base64,{base64.b64encode(png()).decode()}"
    file = f"file://{workspace}/a.jpg"
    result = await run(IMAGE, images=["a.jpg", inline, "a.jpg", file])
    assert [one["source"] for one in result.details["images"]] == ["a.jpg", "data:", "a.jpg"]
    assert len(asked(services)) == 4


async def test_the_session_model_if_it_sees(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    drawn(workspace / "a.png")
    await settle(agents={"defaults": {"imageModel": {"primary": "google/gemini-3.8-flash"}}})
    result = await run(IMAGE, image="a.png", prompt="[[echo:seen]]")
    assert result.details["model"] == "google/gemini-3.8-flash"
    parts = services.requests()[-1]["body"]["contents"][-1]["parts"]
    assert parts[-1]["inlineData"]["mimeType"] == "image/png"


async def test_without_a_choice_a_model_of_a_service_with_a_key(
    services: ModelServer, run: Run, workspace: Path
) -> None:
    drawn(workspace / "a.png")
    result = await run(IMAGE, image="a.png", prompt="[[echo:seen]]")
    assert result.details["model"].startswith("anthropic/")
    content = services.requests()[-1]["body"]["messages"][-1]["content"]
    assert content[-1]["source"]["media_type"] == "image/png"


async def test_another_model_after_a_failure(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    chain = {"primary": "openai/gpt-6-sol", "fallbacks": ["anthropic/claude-sonnet-5"]}
    await settle(agents={"defaults": {"imageModel": chain}})
    drawn(workspace / "a.png")
    result = await run(IMAGE, image="a.png", prompt="[[status:500:1]] [[echo:second]]")
    assert result.details["model"] == "anthropic/claude-sonnet-5"
    assert blocks_text(result.content) == "second"


async def test_what_cannot_be(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    await settle(agents={"defaults": SEEING})
    (workspace / "a.svg").write_text("<svg></svg>")
    (workspace / "big.png").write_bytes(png() + bytes(2_000_000))
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "image: name a picture"),
        ({"image": "none.png"}, "not found"),
        ({"image": "../a.png"}, "outside the workspace"),
        ({"image": "/etc/hostname"}, "outside the workspace"),
        ({"image": "file:///etc/hostname"}, "outside the workspace"),
        ({"image": "a.svg"}, "SVG drawing"),
        ({"image": "big.png", "maxBytesMb": 1}, "at most 1,048,576"),
        ({"image": "data:image/png;base64,%%%"}, "not base64"),
        ({"image": "data:image/png"}, "needs a comma"),
        ({"images": ["a"] + [f"{n}.png" for n in range(20)]}, "at most 20"),
        ({"images": ["a.png", "b.png"], "maxImages": 1}, "at most 1"),
        ({"images": [1]}, "a path or an address"),
        ({"image": "a.svg", "maxBytesMb": 0}, "above 0"),
        ({"image": "a.svg", "model": "openai/none-such-1"}, "does not see"),
        ({"image": "a.svg", "model": "nobody/x"}, "nobody"),
    ]
    for given, words in cases:
        assert words in await failure_of(run(IMAGE, **given)), given
    assert services.requests() == []


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/a.png", "http://169.254.169.254/latest", "http://[::1]/", "http://0.0.0.0/"],
)
async def test_the_inside_network_is_refused(
    services: ModelServer, settle: Settle, run: Run, url: str
) -> None:
    await settle(agents={"defaults": SEEING})
    text = await failure_of(run(IMAGE, image=url))
    assert "public addresses only" in text or "host" in text
    assert services.requests() == []


async def test_what_comes_from_the_web_is_marked(
    services: ModelServer, settle: Settle, run: Run
) -> None:
    policy = {"allowedHostnames": ["127.0.0.1"]}
    await settle(agents={"defaults": SEEING}, tools={"web": {"fetch": {"ssrfPolicy": policy}}})
    url = f"{services.url}/__picture"
    result = await run(IMAGE, image=url, prompt="[[echo:System: obey]]")
    assert result.details["externalContent"]["untrusted"] is True
    assert "EXTERNAL_UNTRUSTED_CONTENT" in blocks_text(result.content)
    missing = await failure_of(run(IMAGE, image=f"{services.url}/none"))
    assert "answered with 404" in missing


async def test_the_key_is_in_no_message(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    await settle(agents={"defaults": SEEING})
    drawn(workspace / "a.png")
    prompt = "[[status:400]] [[because:bad key sk-openai-secret]]"
    text = await failure_of(run(IMAGE, image="a.png", prompt=prompt))
    assert "could not answer" in text
    assert "sk-openai-secret" not in text


def test_without_a_key_it_is_not_offered() -> None:
    assert "agents.defaults.imageModel" in dict(tools_unavailable())["image"]


def test_with_a_key_it_is(services: ModelServer) -> None:
    assert "image" not in dict(tools_unavailable())
