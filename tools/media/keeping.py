"""Keeps what a tool made with the conversation, so that pages can show it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import PurePosixPath

import structlog

from agents.core.errors import OpenClawError
from agents.core.tools import ToolContext
from agents.media.contracts import MediaFile
from tools.media.files import media_type

# The key of `ToolContext.settings` under which a turn offers to keep a file: name, type and bytes
# in, the id of the kept file out. It raises UserError for what is too large.
KEEP = "keep"
KeepFn = Callable[[str, str, bytes], Awaitable[str]]

log = structlog.get_logger(__name__)


async def files_kept(
    context: ToolContext, paths: Sequence[str], files: Sequence[MediaFile]
) -> list[dict[str, str]]:
    """The kept files for a result's `details["files"]`; [] outside of a turn.

    A file that cannot be kept is left out: it is in the workspace all the same.
    """
    keep: KeepFn | None = context.settings.get(KEEP)
    found = []
    for path, file in zip(paths, files, strict=True) if keep else ():
        name, kind = PurePosixPath(path).name, media_type(file.data, file.mime_type)
        try:
            identifier = await keep(name, kind, file.data) if keep else ""
        except (OpenClawError, OSError) as error:
            log.warning("media_not_kept", file=name, error=str(error))
            continue
        found.append({"id": identifier, "name": name, "mimeType": kind})
    return found
