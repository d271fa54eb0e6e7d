"""The services that make media, by the name of their provider; plugins may add others."""

from __future__ import annotations

from typing import TypeVar

from agents.core.registry import Registry
from agents.media.contracts import ImageMaker, SpeechMaker, VideoMaker

# In order of preference, for when nothing is configured.
IMAGE_MAKERS: Registry[ImageMaker] = Registry("maker of pictures")
IMAGE_MAKERS.register("openai", "agents.media.openai.images:IMAGES")
IMAGE_MAKERS.register("google", "agents.media.google.images:IMAGES")

SPEECH_MAKERS: Registry[SpeechMaker] = Registry("maker of speech")
SPEECH_MAKERS.register("openai", "agents.media.openai.speech:SPEECH")
SPEECH_MAKERS.register("elevenlabs", "agents.media.elevenlabs.speech:SPEECH")

VIDEO_MAKERS: Registry[VideoMaker] = Registry("maker of videos")
VIDEO_MAKERS.register("google", "agents.media.google.videos:VIDEOS")

# Which vendor's requests a provider of another name takes, by its wire format.
_FAMILIES = {
    "openai-completions": "openai",
    "openai-responses": "openai",
    "google-generative-ai": "google",
}

T = TypeVar("T")


def maker_for(makers: Registry[T], *, provider: str, api: str) -> T | None:
    """Who makes media with models of `provider`, whose wire format is `api`; None for nobody."""
    for name in (provider, _FAMILIES.get(api, "")):
        if name in makers:
            return makers.get(name)
    return None
