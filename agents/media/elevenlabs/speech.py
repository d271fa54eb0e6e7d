"""ElevenLabs (https://elevenlabs.io/docs/api-reference/text-to-speech/convert)."""

from __future__ import annotations

from urllib.parse import quote

from agents.core.model import ModelInfo
from agents.media.contracts import MediaFile, SpeechOrder
from agents.media.failures import typed_failures
from agents.media.plain import ask
from agents.providers.failures import provider_error

DEFAULT_BASE_URL = "https://api.elevenlabs.io"
# "George", one of the voices that every account has.
_DEFAULT_VOICE = "JBFqnCBsd6RMkjVDRZzb"
_FORMATS = {"mp3": ("mp3_44100_128", "audio/mpeg"), "opus": ("opus_48000_64", "audio/ogg")}


class ElevenLabsSpeech:
    """Reads texts aloud."""

    default_model = "eleven_multilingual_v2"

    async def speak(self, order: SpeechOrder, model: ModelInfo) -> MediaFile:
        """See SpeechMaker."""
        base = (model.base_url or DEFAULT_BASE_URL).rstrip("/")
        wire, kind = _FORMATS[order.output_format]
        async with typed_failures(model):
            data = await ask(
                f"{base}/v1/text-to-speech/{quote(order.voice or _DEFAULT_VOICE, safe='')}",
                model=model,
                headers={"xi-api-key": model.api_key, "accept": kind},
                body={"text": order.text, "model_id": model.id},
                parameters={"output_format": wire},
            )
        if not data:
            raise provider_error(model, "no sound came back", reason="empty_response")
        return MediaFile(data, kind)


SPEECH = ElevenLabsSpeech()
