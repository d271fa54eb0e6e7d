"""Answers of servers as results of tools. What they say comes from outside and is marked so."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from agents.core.messages import Image, Text, UserBlock
from agents.core.tools import ToolResult
from agents.core.untrusted import one_line, wrapped
from tools.images import image_type

# Bytes of one picture; services refuse larger ones (runtime.md 4.5).
MAX_IMAGE_BYTES = 5 * 1024 * 1024
MAX_IMAGES = 10


def result_make(server: str, tool: str, answer: Mapping[str, Any]) -> ToolResult:
    """The result of a call; `answer` is what the server said, in the protocol's own names.

    Text and embedded resources become one marked block, pictures stay pictures, everything else is
    named. Structured content is shown when the server says nothing else.
    """
    blocks = answer.get("content")
    parts: list[str] = []
    images: list[Image] = []
    for block in blocks if isinstance(blocks, Sequence) else ():
        _take(block if isinstance(block, Mapping) else {}, parts, images)
    structured = answer.get("structuredContent")
    if structured is not None and not parts:
        parts.append(orjson.dumps(structured, option=orjson.OPT_INDENT_2).decode())
    text = "\n\n".join(part for part in parts if part)
    if not text and not images:
        text = "(the server answered with nothing)"
    content: list[UserBlock] = []
    if text:
        content.append(Text(wrapped(text, source=f"MCP server {server}, tool {one_line(tool)}")))
    return ToolResult(
        content=(*content, *images),
        details=outside(server, **({} if structured is None else {"structured": structured})),
        is_error=answer.get("isError") is True,
    )


def outside(server: str, **details: Any) -> dict[str, Any]:
    """Details that say where a result came from."""
    mark = {"untrusted": True, "source": f"mcp:{server}", "wrapped": True}
    return {"externalContent": mark, **details}


def _take(block: Mapping[str, Any], parts: list[str], images: list[Image]) -> None:
    kind = block.get("type")
    if kind == "text":
        parts.append(str(block.get("text") or ""))
    elif kind == "image":
        _picture(str(block.get("data") or ""), parts, images)
    elif kind == "resource":
        resource = block.get("resource")
        _resource(resource if isinstance(resource, Mapping) else {}, parts, images)
    elif kind == "resource_link":
        about = " ".join(str(block.get(key) or "") for key in ("name", "uri", "description"))
        parts.append(f"[resource: {about.strip()}]")
    else:
        parts.append(f"[{one_line(str(kind or 'unknown'), 40)} content is not shown here]")


def _resource(resource: Mapping[str, Any], parts: list[str], images: list[Image]) -> None:
    where = str(resource.get("uri") or "")
    if isinstance(resource.get("text"), str):
        parts.append(f"[resource {where}]\n{resource['text']}")
    elif str(resource.get("mimeType") or "").startswith("image/"):
        _picture(str(resource.get("blob") or ""), parts, images)
    else:
        size = len(str(resource.get("blob") or "")) * 3 // 4
        parts.append(f"[resource {where}: {size} bytes that are no text]")


def _picture(data: str, parts: list[str], images: list[Image]) -> None:
    """A picture by what it is, not by what the server calls it."""
    if len(data) * 3 // 4 > MAX_IMAGE_BYTES or len(images) >= MAX_IMAGES:
        parts.append("[a picture that is too large, or one too many, was left out]")
        return
    try:
        head = base64.b64decode(data, validate=True)[:16]
    except (binascii.Error, ValueError):
        head = b""
    mime_type = image_type(head)
    if mime_type is None:
        parts.append("[a picture that cannot be read was left out]")
    else:
        images.append(Image(data, mime_type))
