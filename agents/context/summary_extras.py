"""What is put below a model's summary without asking a model: it must not be lost. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.core.messages import (
    AssistantMessage,
    Message,
    ToolResultMessage,
    UserMessage,
    blocks_text,
    user_text,
)

# runtime.md 3.6: the whole summary, a recent turn, identifiers, tool failures, one list of files.
SUMMARY_CHARS = 16_000
_TURN_CHARS = 600
_IDENTIFIERS, _IDENTIFIER_CHARS, _SEARCHED_CHARS = 24, 200, 20_000
_FAILURES, _FAILURE_CHARS = 8, 240
_LIST_CHARS = 900
_REQUEST_CHARS = 2_000

_READERS = frozenset({"read"})
_WRITERS = frozenset({"write", "edit", "apply_patch"})
_IDENTIFIER = re.compile(
    r"https?://[^\s<>\"'`)\]]+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
    r"|\b[A-Z][A-Z0-9]{1,9}-\d+\b"
    r"|(?<![\w/])(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]+)+"
    r"|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{1,64}\b"
    r"|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}\b"
)


@dataclass(frozen=True, slots=True)
class FileLists:
    """The files that were read and changed, oldest first, each once."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()

    def to_json(self) -> dict[str, list[str]]:
        """As a compaction entry keeps it (runtime.md 16.1)."""
        return {"readFiles": list(self.read), "modifiedFiles": list(self.modified)}


def file_lists(messages: Iterable[Message], earlier: Mapping[str, Any]) -> FileLists:
    """The files that calls in `messages` named, behind those of an `earlier` compaction."""
    read = dict.fromkeys(map(str, earlier.get("readFiles") or ()))
    modified = dict.fromkeys(map(str, earlier.get("modifiedFiles") or ()))
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        for call in message.tool_calls:
            path = call.arguments.get("path") or call.arguments.get("file_path")
            if not isinstance(path, str):
                continue
            if call.name in _READERS:
                read[path] = None
            elif call.name in _WRITERS:
                modified[path] = None
    return FileLists(tuple(path for path in read if path not in modified), tuple(modified))


def identifiers(texts: Iterable[str]) -> list[str]:
    """Exact names in the texts (addresses, paths, hashes, ids), newest first, at most 24."""
    found: dict[str, None] = {}
    for text in reversed(list(texts)):
        for match in reversed(_IDENTIFIER.findall(text[-_SEARCHED_CHARS:])):
            if len(match) <= _IDENTIFIER_CHARS:
                found.setdefault(match.rstrip(".,;:"), None)
            if len(found) >= _IDENTIFIERS:
                return list(found)
    return list(found)


def summary_complete(
    summary: str,
    *,
    beginning: str,
    request: str,
    messages: Sequence[Message],
    files: FileLists,
    recent_turns: int,
    with_identifiers: bool,
) -> str:
    """The summary with what no model may lose: at most SUMMARY_CHARS characters.

    `beginning` summarises the first part of the turn that goes on, `request` is what the person
    asked for in it. The extras have their place; the model's own text is cut for them.
    """
    extras = [
        _section("The running turn so far", beginning),
        _section("The running turn's request, word for word", request[:_REQUEST_CHARS]),
        _recent(messages, recent_turns),
        _failures(messages),
        _files("Files changed", files.modified),
        _files("Files read", files.read),
    ]
    known = "\n\n".join([summary, *filter(None, extras)])
    if with_identifiers:
        missing = [one for one in identifiers(_spoken(messages)) if one not in known]
        extras.append(_section("Identifiers that stand nowhere above", _bullets(missing)))
    tail = "\n\n".join(filter(None, extras))[: SUMMARY_CHARS // 2]
    room = SUMMARY_CHARS - len(tail) - 2
    head = summary if len(summary) <= room else summary[: room - 2].rstrip() + " …"
    return f"{head}\n\n{tail}".strip()


def _spoken(messages: Sequence[Message]) -> list[str]:
    texts = []
    for message in messages:
        if isinstance(message, UserMessage):
            texts.append(user_text(message))
        elif isinstance(message, AssistantMessage):
            texts.append(message.text)
    return texts


def _recent(messages: Sequence[Message], count: int) -> str:
    turns = [message for message in messages if isinstance(message, UserMessage)][-count:]
    if not count or not turns:
        return ""
    said = [" ".join(user_text(message).split())[:_TURN_CHARS] for message in turns]
    return _section("The person's latest messages before this point", _bullets(filter(None, said)))


def _failures(messages: Sequence[Message]) -> str:
    failed = [m for m in messages if isinstance(m, ToolResultMessage) and m.is_error][-_FAILURES:]
    lines = [
        f"{m.tool_name}: {' '.join(blocks_text(m.content).split())[:_FAILURE_CHARS]}"
        for m in failed
    ]
    return _section("Tool calls that failed", _bullets(lines))


def _files(title: str, paths: Sequence[str]) -> str:
    kept: list[str] = []
    used = 0
    for path in reversed(paths):
        used += len(path) + 3
        if used > _LIST_CHARS:
            break
        kept.append(path)
    return _section(title, _bullets(reversed(kept)))


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _section(title: str, body: str) -> str:
    return f"## {title}\n{body.strip()}" if body.strip() else ""
