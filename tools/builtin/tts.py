"""The tool `tts`: reads a text aloud into a file of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.media.contracts import MediaFile, SpeechMaker, SpeechOrder
from tools.arguments import number_argument, rename_aliases, text_argument
from tools.media.choice import MediaSlot
from tools.media.files import media_lines, media_save
from tools.media.keeping import files_kept
from tools.media.making import first_made
from tools.media.places import place_of
from tools.media.settings import TtsDocument, tts_settings
from tools.media.speech_choice import speech_slots

# Channels that show Opus in Ogg as voice messages.
_VOICE_CHANNELS = frozenset({"telegram", "whatsapp", "matrix", "feishu"})
_DESCRIPTION = (
    "Read a text aloud into a sound file of the workspace. Name the file in your answer on a line "
    "of its own, as the result has it (MEDIA:…), so that it is sent."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What to read, in plain words."},
        "voice": {"type": "string", "description": "Another voice, by the service's own name."},
        "channel": {"type": "string", "description": "Where it will be sent; decides the format."},
        "timeoutMs": {"type": "integer", "minimum": 1000},
    },
    "required": ["text"],
    "additionalProperties": False,
}
_ALIASES = {"timeout_ms": "timeoutMs"}


class TtsTool:
    """Makes sound files."""

    name = "tts"
    label = "Read aloud"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    # Each reading is paid for.
    repeatable = False
    execution: Literal["parallel", "sequential"] = "parallel"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments in camel case."""
        return rename_aliases(arguments, _ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The path of the new file. Raises ToolError."""
        arguments = self.prepare(arguments)
        settings = await run_db(tts_settings)
        order = _order(arguments, context, settings)
        milliseconds = number_argument(arguments, "timeoutMs", settings.timeout_ms, low=1_000)
        found = await run_db(speech_slots, agent=context.agent_id)
        voices = {id(one.slot): order.voice or one.voice for one in found}
        # Found before anything is paid for.
        place = await place_of(context)
        file, slot = await first_made(
            [one.slot for one in found],
            lambda one: _speak(one, order, voices[id(one)]),
            seconds=min(milliseconds, 600_000) / 1000,
            signal=signal,
        )
        paths = await asyncio.to_thread(media_save, place, [file], wanted="", kind="speech")
        text = f"Read aloud with {slot.model.ref}.\n[[audio_as_voice]]\n{media_lines(paths)}"
        facts: dict[str, Any] = {"path": paths[0], "media": paths, "model": slot.model.ref}
        if kept := await files_kept(context, paths, [file]):
            facts["files"] = kept
        return ToolResult.text(text, audioAsVoice=True, **facts)


TTS = TtsTool()


def _order(
    arguments: Mapping[str, Any], context: ToolContext, settings: TtsDocument
) -> SpeechOrder:
    text = text_argument(arguments, "text").strip()
    if not text:
        raise ToolError("text: is empty.")
    most = settings.max_text_length
    if len(text) > most:
        raise ToolError(
            f"text: has {len(text):,} characters; at most {most:,} are read at once "
            "(messages.tts.maxTextLength). Split it."
        )
    channel = str(arguments.get("channel") or context.channel).lower()
    voice = str(arguments.get("voice") or "").strip()
    return SpeechOrder(text, voice, "opus" if channel in _VOICE_CHANNELS else "mp3")


async def _speak(slot: MediaSlot[SpeechMaker], order: SpeechOrder, voice: str) -> MediaFile:
    return await slot.maker.speak(SpeechOrder(order.text, voice, order.output_format), slot.model)
