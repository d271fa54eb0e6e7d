"""Who reads a text aloud, and with which voice."""

from __future__ import annotations

import os
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.catalog.resolve import catalog
from agents.config.sections.agents_schema import ModelChoice
from agents.core.model import ModelInfo
from agents.core.registry import Registry
from agents.media.contracts import SpeechMaker
from agents.media.elevenlabs.speech import DEFAULT_BASE_URL
from agents.media.registry import SPEECH_MAKERS
from tools.media.choice import MediaSlot, slots_find
from tools.media.settings import TtsDocument, tts_settings
from tools.web.settings import secret_text

ELEVENLABS = "elevenlabs"
KEY_VARIABLE = "ELEVENLABS_API_KEY"


@dataclass(frozen=True, slots=True)
class SpeechSlot:
    """One way to have a text read, with the voice that is configured for it."""

    slot: MediaSlot[SpeechMaker]
    voice: str = ""


def speech_slots(*, agent: str) -> list[SpeechSlot]:
    """Every way, the configured service alone if one is configured. [] when there is none."""
    settings = tts_settings()
    names = [settings.provider] if settings.provider else list(SPEECH_MAKERS.names())
    return [found for name in names for found in _slots(name, settings, agent)]


def _slots(name: str, settings: TtsDocument, agent: str) -> list[SpeechSlot]:
    maker = SPEECH_MAKERS.get(name)
    if name == ELEVENLABS:
        return _elevenlabs(maker, settings)
    entry = catalog().providers.get(name)
    if entry is None or entry.problem:
        return []
    stated = settings.openai if name == "openai" else None
    model = (stated.model if stated else "") or maker.default_model
    only: Registry[SpeechMaker] = Registry("maker of speech")
    only.register(name, maker)
    choice = ModelChoice(primary=f"{name}/{model}")
    found = slots_find(only, wanted="", configured=choice, agent=agent)
    return [SpeechSlot(slot, stated.voice if stated else "") for slot in found]


def _elevenlabs(maker: SpeechMaker, settings: TtsDocument) -> list[SpeechSlot]:
    own = settings.elevenlabs
    base_url = own.base_url or DEFAULT_BASE_URL
    key = secret_text(own.api_key)
    # A key of the environment is only sent to the service's own address.
    if not key and base_url.rstrip("/") == DEFAULT_BASE_URL:
        key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key:
        return []
    model = own.model_id or maker.default_model
    info = ModelInfo(ELEVENLABS, model, ELEVENLABS, base_url=base_url, api_key=key)
    return [SpeechSlot(MediaSlot(maker, info), own.voice_id)]


def speech_problem() -> str:
    """Why nothing can be read aloud, "" when it can: what to set."""
    settings = tts_settings()
    if speech_slots(agent=""):
        return ""
    if settings.provider == ELEVENLABS:
        values = {"key": "messages.tts.elevenlabs.apiKey", "variable": KEY_VARIABLE}
        return _("set %(key)s or %(variable)s") % values
    text = _("no credential for %(names)s; add one, or set %(key)s")
    names = settings.provider or " or ".join(SPEECH_MAKERS.names())
    return text % {"names": names, "key": "messages.tts.elevenlabs.apiKey"}
