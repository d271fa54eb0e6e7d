"""Transcript entries as clients see them (gateway.md 2.3, chat.history). Pure.

Rows stay small: long text is cut, image data is left out, an oversized message becomes a
placeholder. What was changed says so, so that nobody takes a part for the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

# Characters of one text block, bytes of one message and of one answer.
MAX_TEXT = 12_000
# The page shows long answers whole.
MAX_TEXT_PAGE = 100_000
MAX_MESSAGE = 128 * 1024
MAX_TOTAL = 6 * 1024 * 1024
OMITTED = "[chat.history omitted: message too large]"
_SIGNATURES = ("thinkingSignature", "textSignature", "thoughtSignature", "signature")


def message_row(
    entry: Mapping[str, Any], *, run_ids: Mapping[str, str] | None = None, max_text: int = MAX_TEXT
) -> dict[str, Any]:
    """The row of one entry (`id`, `seq`, `role`, `message`, `runId`).

    `run_ids` gives the wire id for a run's own id.
    """
    message = entry["message"]
    marks: dict[str, Any] = {"id": entry["id"], "seq": entry["seq"]}
    if entry.get("parentId"):
        marks["parentId"] = entry["parentId"]
    if run := entry.get("runId"):
        marks |= {"runId": (run_ids or {}).get(run, run), "internalRunId": run}
    row = {name: value for name, value in message.items() if name not in _SIGNATURES}
    row["content"], is_cut = _content(message.get("content", ""), max_text)
    if is_cut:
        marks["truncated"] = True
    size = len(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS, default=str))
    if size > max(MAX_MESSAGE, max_text + 8192):
        row = {
            "role": message.get("role", entry.get("role", "")),
            "content": [{"type": "text", "text": OMITTED}],
            "timestamp": message.get("timestamp"),
        }
        marks |= {"truncated": True, "reason": "oversized", "bytes": size}
    return {**row, "__openclaw": marks}


def rows_within(rows: list[dict[str, Any]], limit: int = MAX_TOTAL) -> list[dict[str, Any]]:
    """The newest rows that fit into `limit` bytes of JSON together."""
    total = 0
    kept: list[dict[str, Any]] = []
    for row in reversed(rows):
        total += len(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS, default=str)) + 1
        if total > limit and kept:
            break
        kept.append(row)
    kept.reverse()
    return kept


def row_text(row: Mapping[str, Any]) -> str:
    """The text blocks of a row, joined."""
    content = row.get("content")
    if isinstance(content, str):
        return content
    blocks = (block for block in content or () if isinstance(block, Mapping))
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _content(content: Any, max_text: int) -> tuple[Any, bool]:
    if isinstance(content, str):
        return _cut(content, max_text)
    if not isinstance(content, Iterable):
        return content, False
    blocks = [_block(block, max_text) for block in content]
    return [block for block, _ in blocks], any(is_cut for _, is_cut in blocks)


def _block(block: Any, max_text: int) -> tuple[Any, bool]:
    if not isinstance(block, Mapping):
        return block, False
    kept = {name: value for name, value in block.items() if name not in _SIGNATURES}
    if kept.get("type") == "image":
        data = kept.pop("data", "") or ""
        return {**kept, "omitted": True, "bytes": len(data) * 3 // 4}, False
    for name in ("text", "thinking"):
        if isinstance(kept.get(name), str):
            kept[name], is_cut = _cut(kept[name], max_text)
            return kept, is_cut
    return kept, False


def _cut(text: str, max_text: int) -> tuple[str, bool]:
    if len(text) <= max_text:
        return text, False
    return f"{text[:max_text]}\n…", True
