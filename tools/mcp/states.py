"""How the configured servers stand, as far as any worker has told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from agents.config.registry import section
from tools.mcp.schema import McpDocument, McpServer
from tools.mcp.settings import configured
from tools.mcp.store import Known, catalogues_known

# unknown: no worker has asked it since it was configured like this.
Standing = Literal["ready", "bad", "unknown", "disabled"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """One server. `problem` says why it is bad, `notes` which of its tools were left out."""

    name: str
    transport: str
    standing: Standing
    problem: str = ""
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The form that programs get."""
        return {
            "name": self.name, "transport": self.transport, "state": self.standing,
            "problem": self.problem, "tools": list(self.tools), "notes": list(self.notes),
        }  # fmt: skip


def server_states() -> list[ServerState]:
    """Every configured server in order of its name. Connects to none; tells no secrets."""
    document: McpDocument = section("mcp")
    known = catalogues_known()
    return [
        _state(name, server, known.get(name)) for name, server in sorted(document.servers.items())
    ]


def _state(name: str, server: McpServer, known: Known | None) -> ServerState:
    if not server.enabled:
        return ServerState(name, server.way, "disabled")
    if known is None or known.mark != configured(name, server).mark:
        return ServerState(name, server.way, "unknown")
    if known.problem:
        return ServerState(name, server.way, "bad", known.problem)
    tools = tuple(tool.name for tool in known.catalogue.tools)
    return ServerState(name, server.way, "ready", tools=tools, notes=known.catalogue.problems)
