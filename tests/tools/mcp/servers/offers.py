"""The tools that the servers offer, by what is the matter with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_LOOP = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
GOOD = {
    "echo": _TEXT, "fail": _NOTHING, "picture": _NOTHING, "structured": _NOTHING,
    "environment": _NOTHING, "grow": _NOTHING, "die": _NOTHING, "slow": _TEXT,
    "child": _NOTHING, "resource": _NOTHING, "nothing": _NOTHING,
}  # fmt: skip
OFFERS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "good": list(GOOD.items()),
    "names": [
        (name, _NOTHING)
        for name in ("read file", "read.file", "read_file", "Read_File", "x" * 90, "twin", "twin")
    ],
    "schemas": [
        ("fine", _TEXT),
        ("loop", {**_NOTHING, **_LOOP, "properties": {"x": {"$ref": "#/$defs/a"}}}),
        ("invalid", {"type": "object", "properties": {"x": {"type": "no such type"}}}),
        ("far", {"type": "object", "properties": {"x": {"$ref": "https://example.com/x.json"}}}),
        ("tree", {
            "type": "object", "properties": {"node": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        }),
    ],
    "large": [("big", {**_NOTHING, "description": "x" * 3_000_000})],
    "many": [(f"{verb}_{number}", _TEXT) for verb in ("get", "put") for number in range(20)],
}  # fmt: skip


def server_make(kind: str) -> Server[Any]:
    """A server that offers what `kind` says."""
    tools = list(OFFERS[kind])

    async def listed(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=f"Does {name}.", input_schema=schema)
                for name, schema in tools
            ]
        )

    async def called(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "grow":
            tools.append((f"grown_{len(tools)}", _TEXT))
            await context.session.send_tool_list_changed()
            return _said("grown")
        return await _answer(params.name, params.arguments or {})

    return Server(kind, on_list_tools=listed, on_call_tool=called)


def options(server: Server[Any]) -> Any:
    """How it introduces itself."""
    return server.create_initialization_options(NotificationOptions(tools_changed=True))


async def _answer(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    if name == "slow":
        await _slow(arguments["text"])
    if name == "die":
        os._exit(3)
    if name == "fail":
        return _said("it went wrong", is_error=True)
    if name == "structured":
        return types.CallToolResult(content=[], structured_content={"answer": 42})
    if name == "picture":
        image = types.ImageContent(type="image", data=_PIXEL, mime_type="image/png")
        lie = types.ImageContent(type="image", data="bm90IGEgcGljdHVyZQ==", mime_type="image/png")
        return types.CallToolResult(content=[image, lie])
    if name == "resource":
        text = types.TextResourceContents(uri="file:///notes", text="from a file")
        return types.CallToolResult(
            content=[types.EmbeddedResource(type="resource", resource=text)]
        )
    if name == "nothing":
        return types.CallToolResult(content=[])
    return _said(_text(name, arguments))


def _text(name: str, arguments: dict[str, Any]) -> str:
    if name == "environment":
        return " ".join(sorted(os.environ))
    if name == "child":
        return _child()
    return str(arguments.get("text", name))


def _child() -> str:
    """Starts a process that does not care for the end of its parent."""
    code = "import signal, time; signal.signal(signal.SIGHUP, signal.SIG_IGN); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL)
    return f"{os.getpid()} {child.pid}"


async def _slow(path: str) -> None:
    """Waits for ever, and leaves a file when it is told not to."""
    await anyio.Path(f"{path}.began").touch()
    try:
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.Path(f"{path}.cancelled").touch()


def _said(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=is_error
    )
