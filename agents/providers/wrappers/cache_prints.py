"""What of a request decides whether a service finds its beginning in its prompt cache."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from agents.core.json_codec import message_to_json
from agents.core.messages import Message
from agents.core.model import ModelRequest
from agents.providers.common.body import json_encode
from agents.providers.common.params import cache_retention, param
from agents.providers.common.prompt_cache import system_parts

# Formats in which the end of the stable part of the system prompt is marked for the service, so
# that what follows it may change.
_MARKED_APIS = ("anthropic-messages", "bedrock-converse-stream")


@dataclass(frozen=True, slots=True)
class CachePrint:
    """Fingerprints of one request. `messages` has one for the history up to each message."""

    model: str
    retention: str
    transport: str
    system: str
    suffix: str
    tools: str
    messages: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """The fingerprint of the system prompt's stable part and the tools together."""
        return digest(f"{self.system}{self.tools}".encode())


def digest(data: bytes) -> str:
    """A short fingerprint."""
    return hashlib.sha256(data).hexdigest()[:16]


def cache_print(request: ModelRequest) -> CachePrint:
    """The fingerprints of `request`; the same request always has the same."""
    stable, changing = system_parts(request.system)
    tools = [[tool.name, tool.description, tool.parameters] for tool in request.tools]
    marked = request.model.api in _MARKED_APIS
    return CachePrint(
        model=request.model.ref,
        retention=cache_retention(request),
        transport=str(param(request, "transport") or request.model.compat.get("transport", "")),
        system=digest(stable.encode("utf-8", "replace")),
        suffix="" if marked else digest(changing.encode("utf-8", "replace")),
        tools=digest(json_encode(tools)),
        messages=_chain(request.messages),
    )


def _chain(messages: Sequence[Message]) -> tuple[str, ...]:
    chain: list[str] = []
    before = ""
    for message in messages:
        facts = message_to_json(message)
        facts.pop("timestamp", None)
        before = digest(before.encode() + json_encode(facts))
        chain.append(before)
    return tuple(chain)


def break_reasons(before: CachePrint, now: CachePrint) -> list[str]:
    """Why a service cannot use what it cached of the request before; [] when it can.

    Names are the reference's where it has them.
    """
    named = {
        "model": before.model != now.model,
        "cacheRetention": before.retention != now.retention,
        "transport": before.transport != now.transport,
        "systemPrompt": before.system != now.system,
        "systemSuffix": before.suffix != now.suffix,
        "tools": before.tools != now.tools,
        "messages": now.messages[: len(before.messages)] != before.messages,
    }
    return [name for name, broken in named.items() if broken]
