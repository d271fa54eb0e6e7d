"""Where a command runs: in the sandbox or on the gateway's machine. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tools.exec_security.elevated import Asker, ElevatedRules, failing_gates

Where = Literal["sandbox", "gateway"]
HOSTS = ("auto", "sandbox", "gateway", "node")


@dataclass(frozen=True, slots=True)
class Host:
    """`elevated`: it leaves the sandbox. `free`: without asking. `problem`: why it cannot be."""

    where: Where = "gateway"
    elevated: bool = False
    free: bool = False
    problem: str = ""


def host_choose(
    arguments: Mapping[str, Any],
    *,
    sandboxed: bool,
    configured: str,
    level: str,
    rules: ElevatedRules,
    asker: Asker,
) -> Host:
    """Where a call runs. A call may only stay where it is, unless it is elevated.

    `level` is what the session says, "" for nothing; then commands leave the sandbox only when
    the call asks for it.
    """
    wanted = str(arguments.get("host") or "auto")
    if wanted == "node" or configured == "node":
        return Host(problem="no node can run commands here (host: node)")
    if not sandboxed:
        if wanted == "sandbox" or configured == "sandbox":
            return Host(problem="this session has no sandbox (host: sandbox)")
        return Host()
    asked = arguments.get("elevated")
    effective = level or rules.level
    if asked is True and effective == "off":
        return Host(problem="elevated commands are off in this session (/elevated off)")
    if asked is True or (asked is None and level not in ("", "off")):
        if failing := failing_gates(rules, asker):
            return Host(problem=f"elevated commands are not allowed: {', '.join(failing)}")
        return Host(elevated=True, free=effective == "full")
    if configured == "gateway":
        return Host()
    if wanted == "gateway":
        text = "the session is sandboxed; host: gateway needs elevated: true, or tools.exec.host"
        return Host(problem=text)
    return Host(where="sandbox")
