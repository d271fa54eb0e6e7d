"""Leaving the sandbox: who may have a command run on the gateway's own machine. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["off", "on", "ask", "full"]
LEVELS: tuple[Level, ...] = ("off", "on", "ask", "full")
Senders = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Gate:
    """One of the two gates. `allow_from` None: it says nothing about who."""

    enabled: bool = True
    allow_from: Senders | None = None


@dataclass(frozen=True, slots=True)
class ElevatedRules:
    """Both gates must let a sender pass. `level` is that of a session that has none of its own."""

    everyone: Gate = field(default_factory=Gate)
    agent: Gate = field(default_factory=Gate)
    level: Level = "on"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sent the message: through which channel, and by which names somebody may list them."""

    channel: str
    names: tuple[str, ...]
    is_owner: bool
    agent: str


def failing_gates(rules: ElevatedRules, asker: Asker) -> list[str]:
    """The keys of the configuration that keep the sender in the sandbox; [] when none does."""
    own = f"agents.list.{asker.agent}.tools.elevated"
    failing = []
    for gate, path, must in ((rules.everyone, "tools.elevated", True), (rules.agent, own, False)):
        if not gate.enabled:
            failing.append(f"{path}.enabled")
        if (must or gate.allow_from is not None) and not _listed(gate.allow_from or {}, asker):
            failing.append(f"{path}.allowFrom.{asker.channel}")
    if not asker.is_owner:
        failing.append("owners only")
    return failing


def _listed(allow_from: Senders, asker: Asker) -> bool:
    names = {name.casefold() for name in asker.names if name} | {"*"}
    return any(str(entry).casefold() in names for entry in allow_from.get(asker.channel, ()))
