"""`messages.tts` of the configuration document: who reads texts aloud, and with which voice."""

from __future__ import annotations

from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.registry import section
from agents.config.schema import Kept, Strict
from agents.config.sections.models_schema import Address
from tools.web.settings import Secret


def _provider(value: str) -> str:
    if value and value not in _known():
        known = ", ".join(_known())
        raise ValueError(_("must be one of %(values)s") % {"values": known})
    return value


def _known() -> list[str]:
    from agents.media.registry import SPEECH_MAKERS

    return SPEECH_MAKERS.names()


class OpenAITts(Strict):
    """Model and voice at OpenAI; address and key are those of the provider openai."""

    model: str = Field(default="", max_length=200)
    voice: str = Field(default="", max_length=100)

    api_key: Kept = None
    base_url: Kept = None


class ElevenLabsTts(Strict):
    """Account, model and voice at ElevenLabs. Without `api_key` it is ELEVENLABS_API_KEY."""

    api_key: Secret = ""
    base_url: Address = ""
    model_id: str = Field(default="", max_length=200)
    voice_id: str = Field(default="", max_length=100)

    seed: Kept = None
    language_code: Kept = None
    apply_text_normalization: Kept = None
    voice_settings: Kept = None


class TtsDocument(Strict):
    """All of `messages.tts`."""

    provider: Annotated[str, AfterValidator(_provider)] = ""
    max_text_length: int = Field(default=4000, ge=1, le=40_000)
    timeout_ms: int = Field(default=30_000, ge=1_000, le=600_000)
    openai: OpenAITts = OpenAITts()
    elevenlabs: ElevenLabsTts = ElevenLabsTts()

    auto: Kept = None
    enabled: Kept = None
    mode: Kept = None
    summary_model: Kept = None
    model_overrides: Kept = None
    edge: Kept = None
    microsoft: Kept = None
    prefs_path: Kept = None


def tts_settings() -> TtsDocument:
    """The settings in force. Queries nothing when they were read a moment ago."""
    found: Any = section("messages").tts
    return found if isinstance(found, TtsDocument) else TtsDocument()
