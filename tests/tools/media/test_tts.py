"""The tool `tts`, through OpenAI's speech endpoint and ElevenLabs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext, ToolResult
from agents.database import run_db
from tests.model_server.fixture import ModelServer
from tests.tools.media.conftest import Run, Settle, failure_of
from tools.availability import tools_unavailable
from tools.builtin.tts import TTS

pytestmark = pytest.mark.django_db(transaction=True)


def elevenlabs(server: ModelServer, **more: object) -> dict[str, object]:
    """The settings of an account at the scripted server."""
    own = {"apiKey": "eleven-secret", "baseUrl": server.url, "voiceId": "voice 1", **more}
    return {"tts": {"provider": "elevenlabs", "elevenlabs": own}}


async def test_it_works(services: ModelServer, run: Run, workspace: Path) -> None:
    result = await run(TTS, text="Good morning.")
    (path,) = result.details["media"]
    assert path.startswith("media/speech-")
    assert path.endswith(".mp3")
    assert (workspace / path).read_bytes().endswith(b"Good morning.")
    text = blocks_text(result.content)
    assert f"MEDIA:./{path}" in text
    assert "[[audio_as_voice]]" in text
    asked = services.requests()[-1]
    assert asked["path"] == "/v1/audio/speech"
    assert asked["body"] == {
        "input": "Good morning.",
        "model": "gpt-4o-mini-tts",
        "voice": "alloy",
        "response_format": "mp3",
    }


async def test_settings_and_another_voice(services: ModelServer, settle: Settle, run: Run) -> None:
    own = {"model": "tts-1-hd", "voice": "nova"}
    await settle(messages={"tts": {"provider": "openai", "openai": own, "maxTextLength": 10}})
    await run(TTS, text="Hello.")
    asked = services.requests()[-1]["body"]
    assert (asked["model"], asked["voice"]) == ("tts-1-hd", "nova")
    await run(TTS, text="Hello.", voice="coral")
    assert services.requests()[-1]["body"]["voice"] == "coral"
    assert "at most 10" in await failure_of(run(TTS, text="Hello, world."))


async def test_elevenlabs(services: ModelServer, settle: Settle, run: Run) -> None:
    await settle(messages=elevenlabs(services, modelId="eleven_v3"))
    result = await run(TTS, text="Hello.", channel="telegram")
    assert result.details["path"].endswith(".ogg")
    assert result.details["model"] == "elevenlabs/eleven_v3"
    asked = services.requests()[-1]
    assert asked["path"] == "/v1/text-to-speech/voice 1"
    assert asked["body"]["output_format"] == "opus_48000_64"
    assert asked["body"]["text"] == "Hello."


async def test_the_channel_of_the_turn_decides(
    services: ModelServer, run: Run, context: ToolContext
) -> None:
    async def ignore(partial: ToolResult) -> None:
        pass

    spoken = replace(context, channel="whatsapp")
    result = await TTS.execute("c", {"text": "Hello."}, spoken, AbortSignal(), ignore)
    assert result.details["path"].endswith(".ogg")


async def test_another_service_after_a_failure(
    services: ModelServer, settle: Settle, run: Run
) -> None:
    own = {"apiKey": "eleven-secret", "baseUrl": services.url}
    await settle(messages={"tts": {"elevenlabs": own}})
    result = await run(TTS, text="[[status:500:1]] Hello.")
    assert result.details["model"].startswith("elevenlabs/")


async def test_what_cannot_be(services: ModelServer, run: Run) -> None:
    assert "text: is empty" in await failure_of(run(TTS, text="  "))
    assert "at most 4,000" in await failure_of(run(TTS, text="a" * 4001))
    assert "no sound came back" in await failure_of(run(TTS, text="[[nothing]]"))
    text = await failure_of(run(TTS, text="[[status:401]] [[because:wrong sk-openai-secret]]"))
    assert "sk-openai-secret" not in text


async def test_a_wrong_provider_is_refused(settle: Settle) -> None:
    with pytest.raises(Exception, match="must be one of openai, elevenlabs"):
        await settle(messages={"tts": {"provider": "nobody"}})


async def test_an_account_without_a_key(services: ModelServer, settle: Settle, run: Run) -> None:
    await settle(messages={"tts": {"provider": "elevenlabs"}})
    assert "ELEVENLABS_API_KEY" in dict(await run_db(tools_unavailable))["tts"]
    assert "no service to ask" in await failure_of(run(TTS, text="Hello."))


def test_without_a_key_it_is_not_offered() -> None:
    assert "messages.tts.elevenlabs.apiKey" in dict(tools_unavailable())["tts"]


def test_with_a_key_of_the_environment_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELEVENLABS_API_KEY", "eleven-secret")
    assert "tts" not in dict(tools_unavailable())
