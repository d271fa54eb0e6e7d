"""Template filters of the run pages: JSON, results, secrets removed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import template

from channels_app.markdown import tricks_shown
from channels_app.pages.redaction import text_redacted
from channels_app.pages.requests import LONGEST_SHOWN, known_secrets
from channels_app.pages.requests import as_json as json_text
from sessions.models import ModelCall

register = template.Library()


@register.filter
def as_json(value: Any) -> str:
    """A JSON value, indented, secrets removed."""
    return tricks_shown(json_text(value, known_secrets()))


@register.filter
def result_text(result: Any) -> str:
    """What a tool gave back: its text blocks, or the JSON where there are others."""
    blocks = result.get("content") if isinstance(result, dict) else result
    if isinstance(blocks, list) and all(
        isinstance(block, dict) and block.get("type") == "text" for block in blocks
    ):
        text = "\n".join(str(block.get("text", "")) for block in blocks)
        shown = text_redacted(text[:LONGEST_SHOWN], known=known_secrets())
        return tricks_shown(shown)
    return as_json(result)


@register.filter
def secretless(text: str) -> str:
    """An error text that may quote a key."""
    return tricks_shown(text_redacted(text, known=known_secrets()))


@register.filter
def first_token_ms(call: ModelCall) -> float | None:
    """From the request to the first token."""
    if call.first_token_at is None:
        return None
    return (call.first_token_at - call.started_at) / timedelta(milliseconds=1)
