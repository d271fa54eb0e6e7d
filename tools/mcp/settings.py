"""The configured servers, and by which mark a change of one is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from agents.config.cache import cached
from agents.config.registry import section
from tools.mcp.schema import McpDocument, McpServer


@dataclass(frozen=True, slots=True, eq=False)
class Configured:
    """A server that is enabled. `mark` changes with every setting of it; it tells no secret."""

    name: str
    server: McpServer
    mark: str


@dataclass(frozen=True, slots=True, eq=False)
class McpSettings:
    """All servers in order of their names, so that requests do not depend on the document's."""

    servers: Mapping[str, Configured]
    idle_seconds: float


def mcp_settings() -> McpSettings:
    """The enabled servers. Queries nothing when the configuration was read a moment ago."""
    return cached("mcp settings", _read)


def configured(name: str, server: McpServer) -> Configured:
    """A server with its mark."""
    text = f"{name}\0{server.model_dump_json()}"
    return Configured(name, server, sha256(text.encode()).hexdigest()[:32])


def _read() -> McpSettings:
    document: McpDocument = section("mcp")
    enabled = {
        name: configured(name, server)
        for name, server in sorted(document.servers.items())
        if server.enabled
    }
    return McpSettings(enabled, document.session_idle_ttl_ms / 1000)
