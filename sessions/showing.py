"""What of a turn is shown beside its answer: tool calls, reasoning, the trace line. Pure.

Each is a level: the message's own, the session's, the agent's, the defaults' (runtime.md 13, 17).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

VERBOSE = ("off", "on", "full")
REASONING = ("off", "on", "stream")
TRACE = ("off", "on")
LEVELS: dict[str, tuple[str, ...]] = {"verbose": VERBOSE, "reasoning": REASONING, "trace": TRACE}
# The settings of agents that say what holds when neither message nor session does.
_DEFAULTS = {"verbose": "verboseDefault", "reasoning": "reasoningDefault"}


class Stated(Protocol):
    """A session: what it says itself, "" for nothing."""

    @property
    def verbose(self) -> str:
        """Its verbosity."""

    @property
    def reasoning(self) -> str:
        """Whether reasoning is shown in it."""

    @property
    def trace(self) -> str:
        """Whether its answers have a trace line."""


@dataclass(frozen=True, slots=True)
class Showing:
    """The levels of one turn.

    `verbose` off shows a tool call as one line, on adds the first words of its result, full the
    result. `reasoning` on shows it with the finished answer, stream while it is thought; off
    neither. `trace` on puts a line behind the answer: run, model, credential, tokens, cost, time.
    """

    verbose: str = "off"
    reasoning: str = "off"
    trace: str = "off"

    @property
    def keeps_reasoning(self) -> bool:
        """Whether clients get reasoning at all."""
        return self.reasoning != "off"


def showing_of(
    session: Stated | None, *, settings: Mapping[str, Any], options: Mapping[str, Any] | None = None
) -> Showing:
    """The levels that hold: `options` are those of a message, `settings` the agent's."""
    found = {
        name: _first(levels, (options or {}).get(name), session and getattr(session, name),
                     settings.get(_DEFAULTS.get(name, "")))
        for name, levels in LEVELS.items()
    }  # fmt: skip
    return Showing(**found)


def _first(levels: tuple[str, ...], *stated: object) -> str:
    return next((str(level) for level in stated if level in levels), levels[0])


# A summary is one line of a card.
_SUMMARY = 120


def result_text(result: Mapping[str, Any] | None) -> str:
    """The text of a tool's result as records have it; "" when there is none."""
    blocks = (result or {}).get("content")
    texts = (str(block.get("text") or "") for block in blocks or () if isinstance(block, Mapping))
    return "\n".join(texts).strip()


def result_summary(result: Mapping[str, Any] | None) -> str:
    """The first words of a tool's result, in one line."""
    line = " ".join(result_text(result).split())
    return line if len(line) <= _SUMMARY else f"{line[: _SUMMARY - 1]}…"


def reasoning_left_out(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A stored message without its reasoning; the same object when it has none."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, list):
        return message
    kept = [block for block in content if not _is_thinking(block)]
    return message if len(kept) == len(content) else {**message, "content": kept}


def _is_thinking(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "thinking"


def reasoning_of(message: Mapping[str, Any]) -> str:
    """The reasoning of a stored message, "" for none."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    texts = (str(block.get("thinking") or "").strip() for block in blocks if _is_thinking(block))
    return "\n\n".join(text for text in texts if text)


def trace_line(trace: Mapping[str, Any]) -> str:
    """The line behind an answer, from the facts of `trace_facts`."""
    parts = [
        f"run {trace['runId']}",
        "/".join(part for part in (trace["provider"], trace["model"]) if part),
        str(trace["profile"]),
        f"{trace['inputTokens']:,} in, {trace['outputTokens']:,} out",
        "" if trace["cost"] is None else f"${trace['cost']:.4f}",
        f"{trace['ms'] / 1000:.1f} s",
    ]
    return " · ".join(part for part in parts if part)
