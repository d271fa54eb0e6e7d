"""The HTML of answers for the chat page, rendered away from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from channels_app.gateway.rows import row_text
from channels_app.markdown import markdown_render


async def rows_with_html(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Copies of the rows; those of assistant messages with text have `html`."""
    if not any(row.get("role") == "assistant" for row in rows):
        return list(rows)
    return await asyncio.to_thread(lambda: [_with_html(row) for row in rows])


def _with_html(row: dict[str, Any]) -> dict[str, Any]:
    if row.get("role") != "assistant":
        return row
    text = row_text(row)
    return {**row, "html": markdown_render(text)} if text.strip() else row
