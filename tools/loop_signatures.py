"""What makes two tool calls the same, and two results: short digests, no content kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import orjson

from agents.core.messages import Text
from agents.core.tools import ToolResult

# Parts of `details` that differ between two runs of the same thing.
_VOLATILE = frozenset({
    "durationMs", "tookMs", "startedAt", "endedAt", "fetchedAt", "pid", "timestamp", "artifact",
    "artifactId", "ts",
})  # fmt: skip
# Calls that ask how something is going: only whom they ask makes them the same call.
_POLL_ACTIONS: Mapping[str, frozenset[str]] = {
    "process": frozenset({"poll", "log", "status", "list"})
}
_POLL_TOOLS = frozenset({"command_status", "session_status"})
_POLL_KEYS = ("action", "sessionId", "session_id", "id")


def is_poll(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call only asks how something is going."""
    return name in _POLL_TOOLS or arguments.get("action") in _POLL_ACTIONS.get(name, ())


def call_signature(name: str, arguments: Mapping[str, Any]) -> str:
    """The same for every call of a tool with the same arguments, in any order of keys."""
    if is_poll(name, arguments):
        arguments = {key: arguments[key] for key in _POLL_KEYS if key in arguments}
    return _digest([name, arguments])


def result_signature(result: ToolResult) -> str:
    """The same for results that tell a model the same; durations and process ids do not count."""
    content = [
        block.text if isinstance(block, Text) else [block.mime_type, block.data]
        for block in result.content
    ]
    details = {key: value for key, value in result.details.items() if key not in _VOLATILE}
    return _digest([result.is_error, content, details])


def _digest(value: Any) -> str:
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
    try:
        data = orjson.dumps(value, option=options, default=str)
    except TypeError:
        # Integers beyond 64 bits and half surrogates, which the fast writer refuses.
        data = json.dumps(value, sort_keys=True, default=str).encode()
    return hashlib.sha256(data).hexdigest()[:32]
