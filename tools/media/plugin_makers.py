"""Makers of media that plugins bring: one for a provider of the same name."""

from __future__ import annotations

from agents.media.registry import IMAGE_MAKERS, SPEECH_MAKERS
from agents.plugins.sinks import registry_sink

image_maker_take = registry_sink(IMAGE_MAKERS)
speech_maker_take = registry_sink(SPEECH_MAKERS)
