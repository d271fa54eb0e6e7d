"""The tool `image_generate`: pictures by a description, or changed ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import Text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.media.contracts import ImageMaker, ImageOrder, MediaFile
from agents.media.registry import IMAGE_MAKERS
from agents.selectors import agent_defaults
from tools.arguments import number_argument, rename_aliases
from tools.media.choice import MediaSlot, choice_refs, slots_find
from tools.media.files import media_lines, media_save
from tools.media.image_arguments import ALIASES, MOST_IMAGES, PARAMETERS, order_read
from tools.media.images import Picture, picture_fit
from tools.media.keeping import files_kept
from tools.media.making import first_made
from tools.media.places import place_of
from tools.media.sources import SourceReader, sources_named
from tools.net.hosts import Resolver, system_resolver

_DEFAULT_MS = 180_000
_LEAST_MS, _MOST_MS = 1_000, 600_000
_SOURCE_BYTES = 20 * 1024 * 1024
# Longer sides of what is sent in and of what the model is shown of the outcome, in pixels.
_SIDE, _PREVIEW = 2048, 512
_DESCRIPTION = (
    "Make pictures from a description, or change pictures that are given. The files come into the "
    "workspace. Name them in your answer on lines of their own, as the result has them (MEDIA:…)."
)


class ImageGenerateTool:
    """Makes pictures. `resolver` finds the addresses of names."""

    name = "image_generate"
    label = "Make pictures"
    description = _DESCRIPTION
    parameters = PARAMETERS
    # Each picture is paid for.
    repeatable = False
    execution: Literal["parallel", "sequential"] = "parallel"

    def __init__(self, resolver: Resolver = system_resolver) -> None:
        self._resolver = resolver

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments in camel case."""
        return rename_aliases(arguments, ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The paths of the new files and a small preview. Raises ToolError."""
        arguments = self.prepare(arguments)
        action = arguments.get("action") or "generate"
        if action == "list":
            return await run_db(_listed, context)
        if action == "status":
            return ToolResult.text(
                "Pictures are made while the call waits; nothing runs in the background."
            )
        if action != "generate":
            raise ToolError(f"action: must be generate, list or status, got {action!r}.")
        order = await self._order(arguments, context, signal)
        wanted = str(arguments.get("model") or "")
        slots = await run_db(_slots, wanted, context)
        return await self._made(order, slots, arguments, context, signal)

    async def _order(
        self, arguments: Mapping[str, Any], context: ToolContext, signal: AbortSignal
    ) -> ImageOrder:
        given = sources_named(arguments, "image", "images", most=MOST_IMAGES)
        order = order_read(arguments)
        if not given:
            return order
        place = await place_of(context)
        reader = SourceReader(place, signal, _SOURCE_BYTES, self._resolver)
        sources = await reader.read_all(given, "image")
        fitted = [
            await asyncio.to_thread(picture_fit, source.data, side=_SIDE, name=source.name)
            for source in sources
        ]
        return order_read(arguments, [MediaFile(one.data, one.mime_type) for one in fitted])

    async def _made(
        self,
        order: ImageOrder,
        slots: list[MediaSlot[ImageMaker]],
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
    ) -> ToolResult:
        milliseconds = number_argument(arguments, "timeoutMs", _DEFAULT_MS, low=_LEAST_MS)
        # Found before anything is paid for.
        place = await place_of(context)
        files, slot = await first_made(
            slots,
            lambda one: one.maker.make(order, one.model),
            seconds=min(milliseconds, _MOST_MS) / 1000,
            signal=signal,
        )
        wanted = str(arguments.get("filename") or "")
        made = list(files)
        paths = await asyncio.to_thread(media_save, place, made, wanted=wanted, kind="image")
        preview = await asyncio.to_thread(_preview, made[0], paths[0])
        kept = await files_kept(context, paths, made)
        return _result(paths, preview, slot, order, kept)


IMAGE_GENERATE = ImageGenerateTool()


def _slots(wanted: str, context: ToolContext) -> list[MediaSlot[ImageMaker]]:
    configured = agent_defaults().image_generation_model
    return slots_find(IMAGE_MAKERS, wanted=wanted, configured=configured, agent=context.agent_id)


def _listed(context: ToolContext) -> ToolResult:
    configured = choice_refs(agent_defaults().image_generation_model)
    slots = _slots("", context)
    models = list(dict.fromkeys(slot.model.ref for slot in slots))
    lines = [f"{ref}" for ref in models] or ["No model is set up."]
    return ToolResult.text("\n".join(lines), models=models, configured=list(configured))


def _preview(file: MediaFile, path: str) -> Picture | None:
    """A small picture of the first file; None for what cannot be shown (a drawing, say)."""
    try:
        return picture_fit(file.data, side=_PREVIEW, name=path)
    except ToolError:
        return None


def _result(
    paths: list[str],
    preview: Picture | None,
    slot: MediaSlot[ImageMaker],
    order: ImageOrder,
    kept: list[dict[str, str]],
) -> ToolResult:
    ignored = sorted(
        name
        for name in ("size", "aspect_ratio", "resolution", "quality", "output_format", "background")
        if getattr(order, name) and name not in slot.maker.options
    )
    many = f"{len(paths)} pictures" if len(paths) > 1 else "1 picture"
    note = f" {slot.model.provider} does not know: {', '.join(ignored)}." if ignored else ""
    text = Text(f"Made {many} with {slot.model.ref}.{note}\n{media_lines(paths)}")
    blocks = (text, preview.block()) if preview is not None else (text,)
    details: dict[str, Any] = {"model": slot.model.ref, "paths": paths, "media": paths}
    details["ignored"] = ignored
    if kept:
        details["files"] = kept
    return ToolResult(blocks, details=details)
