"""The tool `read_result`: pages of a tool result that was too long for the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from django.db.models import Q

from agents.context.caps import end_near
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.core.untrusted import wrapped
from agents.database import run_db
from sessions.artifacts import artifact_path
from sessions.context.result_caps import OUTSIDE, READER, RESULT_TYPE
from sessions.models import Artifact, Session
from tools.arguments import number_argument, text_argument

# Characters of one page.
PAGE, LONGEST_PAGE = 12_000, 15_000

_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The id that the shortened result names."},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "description": "First character to read, from 0.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": f"Most characters to read; {PAGE} unless stated.",
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}


class ReadResultTool:
    """Reads what was left out of a long result of this conversation; changes nothing."""

    name = READER
    label = "Read result"
    description = (
        "Read more of a tool result of this conversation that was shortened. Takes the id that "
        "stands in the shortened result and the offset to go on from."
    )
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """One page. Raises ToolError for an id that is not of this conversation."""
        identifier = text_argument(arguments, "id")
        offset = number_argument(arguments, "offset", 0, low=0)
        limit = min(number_argument(arguments, "limit", PAGE, low=1), LONGEST_PAGE)
        artifact = await run_db(_found, identifier, context.session_key)
        if artifact is None:
            raise ToolError(f"id: this conversation has no stored result {identifier!r}.")
        return await asyncio.to_thread(_page, artifact, offset, limit)


READ_RESULT = ReadResultTool()


def _found(identifier: str, session_key: str) -> Artifact | None:
    """The stored text, if it belongs to this conversation and not to an older one of its key."""
    began = Session.objects.filter(key=session_key).values_list("created_at", flat=True).first()
    if began is None:
        return None
    return Artifact.objects.filter(
        Q(mime_type=RESULT_TYPE) | Q(mime_type__startswith=RESULT_TYPE + OUTSIDE),
        pk=identifier,
        session_key=session_key,
        created_at__gte=began,
    ).first()


def _page(artifact: Artifact, offset: int, limit: int) -> ToolResult:
    try:
        text = artifact_path(artifact).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise ToolError(f"id: the stored result cannot be read any more ({error}).") from error
    total = len(text)
    if offset >= total:
        raise ToolError(f"offset: {offset} is beyond the end; the result has {total} characters.")
    end = min(offset + limit, total)
    if end < total:
        end = offset + end_near(text[offset : end + 1], end - offset)
    more = f" Use offset={end} to continue." if end < total else " This is the end."
    note = f"[Characters {offset}-{end} of {total}.{more}]"
    page = text[offset:end].replace("\0", "\ufffd")
    details: dict[str, Any] = {"id": artifact.pk, "nextOffset": end if end < total else None}
    # A page from the middle has lost the marks that stood around the whole.
    source = artifact.mime_type.partition(OUTSIDE)[2]
    if source:
        page = wrapped(page, source=source)
        details["externalContent"] = {"untrusted": True, "source": source, "wrapped": True}
    return ToolResult.text(f"{page}\n\n{note}", **details)
