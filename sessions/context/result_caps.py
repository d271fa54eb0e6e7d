"""Tool results are cut before anything keeps them; the whole text becomes a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog
from django.db import DatabaseError

from agents.config.sections.context_schema import ContextLimits
from agents.context.result_cut import STORED, text_shortened
from agents.core.abort import AbortSignal
from agents.core.errors import OpenClawError, ToolError
from agents.core.messages import Text, blocks_text
from agents.core.tools import (
    ForwardsCalls,
    PreparesArguments,
    Tool,
    ToolContext,
    ToolResult,
    UpdateFn,
)
from agents.database import run_db
from sessions.artifacts import MAX_BYTES, artifact_store
from sessions.context.foreign_files import foreign_marked

log = structlog.get_logger(__name__)

# The key of ToolContext.settings with the most characters of one result, and the default.
RESULT_CHARS = "resultChars"
_DEFAULT_CHARS = ContextLimits().tool_result_max_chars
# Its answers are pages that fit already, and a page of a page would have no end.
READER = "read_result"
# The type of a stored result, and what it goes on with when the content came from outside.
RESULT_TYPE, OUTSIDE = "text/plain", "; outside="


def capped_tools(tools: Sequence[Tool]) -> list[Tool]:
    """The same tools with results that are never longer than the limits allow.

    The same tool always gives the same object, so that tool lists can be compared by identity.
    """
    return [tool if _stays(tool) else _capped(tool) for tool in tools]


def _stays(tool: Tool) -> bool:
    # What forwards its calls has no results of its own.
    return tool.name == READER or isinstance(tool, ForwardsCalls)


def _capped(tool: Tool) -> Tool:
    # Kept for the life of the tool itself, which the registry keeps for that of the process.
    known = _wrapped.get(id(tool))
    if known is None or known.tool is not tool:
        known = _wrapped[id(tool)] = CappedTool(tool)
    return known


_wrapped: dict[int, CappedTool] = {}


class CappedTool:
    """A tool whose long results are stored as files and cut."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.name = tool.name
        self.label = tool.label
        self.description = tool.description
        self.parameters = tool.parameters
        self.repeatable = tool.repeatable
        self.execution = tool.execution

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the tool itself makes of other spellings."""
        inner = self.tool
        return inner.prepare(arguments) if isinstance(inner, PreparesArguments) else arguments

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The tool's result, or a part of it that names the file with the rest."""
        try:
            result = await self.tool.execute(call_id, arguments, context, signal, on_update)
            if self.name == "read":
                result = await foreign_marked(result, context)
        except ToolError as error:
            result = ToolResult((Text(error.message),), details=error.details, is_error=True)
        return await result_capped(result, context, tool=self.name)


async def result_capped(result: ToolResult, context: ToolContext, *, tool: str) -> ToolResult:
    """`result` within the limits; the whole text is stored first. Images stay as they are."""
    if not isinstance(result, ToolResult):
        return result
    texts = [block for block in result.content if isinstance(block, Text)]
    size = sum(len(block.text) for block in texts)
    limit = int(context.settings.get(RESULT_CHARS) or _DEFAULT_CHARS)
    if size <= limit:
        return result
    text = blocks_text(result.content)
    stored = await _stored(text, context, tool, stored_type(result))
    cut = text_shortened(text, limit, tool=tool, is_error=result.is_error, stored=stored)
    others = tuple(block for block in result.content if not isinstance(block, Text))
    details = {**result.details, "fullCharacters": size}
    if stored:
        details[STORED] = stored
    return replace(result, content=(Text(cut), *others), details=details)


def stored_type(result: ToolResult) -> str:
    """The type that the whole text is stored under; it keeps in mind what came from outside."""
    marks = result.details.get("externalContent")
    if not isinstance(marks, Mapping) or not marks.get("untrusted"):
        return RESULT_TYPE
    source = re.sub(r"[^\w:.-]", "", str(marks.get("source", "")), flags=re.ASCII)[:80]
    return f"{RESULT_TYPE}{OUTSIDE}{source or 'unknown'}"


async def _stored(text: str, context: ToolContext, tool: str, mime_type: str) -> str:
    """The id of a file with the whole text, "" when it cannot be stored."""
    data = text.encode("utf-8", "replace")[:MAX_BYTES]
    try:
        artifact = await run_db(
            artifact_store,
            principal=context.principal,
            name=f"{tool}-result.txt",
            mime_type=mime_type,
            data=data,
            session_key=context.session_key,
        )
    except (OSError, DatabaseError, OpenClawError) as error:
        log.warning("tool_result.not_stored", tool=tool, error=str(error))
        return ""
    return artifact.pk
