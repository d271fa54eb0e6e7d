"""The speech endpoint of OpenAI (https://developers.openai.com/api/docs/guides/text-to-speech)."""

from __future__ import annotations

from agents.core.model import ModelInfo
from agents.media.contracts import MediaFile, SpeechOrder
from agents.media.failures import typed_failures
from agents.media.openai.client import openai_client
from agents.providers.failures import provider_error

_DEFAULT_VOICE = "alloy"
_TYPES = {"mp3": "audio/mpeg", "opus": "audio/ogg"}


class OpenAISpeech:
    """Reads texts of at most 4,096 characters aloud."""

    default_model = "gpt-4o-mini-tts"

    async def speak(self, order: SpeechOrder, model: ModelInfo) -> MediaFile:
        """See SpeechMaker."""
        async with typed_failures(model), openai_client(model) as client:
            response = await client.audio.speech.create(
                input=order.text,
                model=model.id,
                voice=order.voice or _DEFAULT_VOICE,
                response_format=order.output_format,
            )
            data = await response.aread()
        if not data:
            raise provider_error(model, "no sound came back", reason="empty_response")
        return MediaFile(data, _TYPES[order.output_format])


SPEECH = OpenAISpeech()
