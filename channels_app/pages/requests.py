"""A model call's request and answer, put together again from what it refers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from agents.core.json_codec import message_to_json
from channels_app.config_section import shared_token
from channels_app.pages.redaction import text_redacted, value_redacted
from sessions.context.rebuild import messages_as_sent
from sessions.models import Entry, ModelCall

# A page with whole transcripts of huge tool results could not be opened.
LONGEST_SHOWN = 60_000


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message of a request: who said it and its content as text or JSON.

    `note` says how it differs from what is stored: summary, trimmed, cleared, shortened, or "".
    """

    seq: int
    role: str
    text: str
    preview: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """Everything that went to the model in one call, secrets removed."""

    system: str = ""
    tools: list[tuple[str, str]] = field(default_factory=list)
    parameters: str = ""
    messages: list[SentMessage] = field(default_factory=list)
    answer: str = ""


def known_secrets() -> list[str]:
    """Secrets of this process that no page may show."""
    return [shared_token()]


def request_as_sent(call: ModelCall) -> SentRequest:
    """The request of `call` by its prompt digest and entry range, and its answer."""
    secrets = known_secrets()
    answer = call.run.transcript.entries.filter(entry_id=call.response_entry_id).first()
    prompt = call.prompt
    return SentRequest(
        system=text_redacted(prompt.system, known=secrets) if prompt else "",
        tools=[(str(tool.get("name", "")), as_json(tool, secrets)) for tool in prompt.tools]
        if prompt
        else [],
        parameters=as_json(call.parameters, secrets) if call.parameters else "",
        messages=_messages(call, secrets),
        answer=_message(answer, secrets).text if answer else "",
    )


def _messages(call: ModelCall, secrets: list[str]) -> list[SentMessage]:
    if call.purpose == "tool":
        # It sent nothing of the conversation; its question is in the arguments of the tool call.
        return []
    sent = messages_as_sent(call)
    wanted = {one.entry_id for one in sent}
    rows = call.run.transcript.entries.filter(entry_id__in=wanted)
    numbers = dict(rows.values_list("entry_id", "seq"))
    return [
        _shown(numbers.get(one.entry_id, 0), message_to_json(one.message), secrets, one.note)
        for one in sent
    ]


def _message(entry: Entry, secrets: list[str]) -> SentMessage:
    return _shown(entry.seq, entry.body, secrets)


def _shown(seq: int, body: dict[str, Any], secrets: list[str], note: str = "") -> SentMessage:
    content = body.get("content")
    text = (
        text_redacted(content, known=secrets)
        if isinstance(content, str)
        else as_json(_without_data(content), secrets)
    )
    preview = " ".join(text_redacted(_preview(content)[:400], known=secrets).split())[:160]
    return SentMessage(seq, str(body.get("role", "")), text, preview, note)


def _preview(content: Any) -> str:
    """What a message says, in words: its text, and the names of calls and pictures."""
    if not isinstance(content, list):
        return str(content)
    return " ".join(
        str(block.get("text") or block.get("thinking") or block.get("name") or block.get("type"))
        for block in content
        if isinstance(block, dict)
    )


def _without_data(content: Any) -> Any:
    """Content blocks with the bytes of images left out."""
    if not isinstance(content, list):
        return content
    return [
        {**block, "data": f"[{len(block['data'])} characters]"}
        if isinstance(block, dict) and block.get("type") == "image" and block.get("data")
        else block
        for block in content
    ]


def as_json(value: Any, secrets: list[str]) -> str:
    """Indented JSON with secrets removed, cut where it would be too long to show."""
    text = orjson.dumps(
        value_redacted(value, known=secrets), option=orjson.OPT_INDENT_2, default=str
    ).decode()
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}\n…"
