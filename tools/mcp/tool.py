"""A server's tool as one of the product's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.mcp.catalogue import ToolSpec
from tools.mcp.failures import McpUnavailableError, reason_of
from tools.mcp.results import outside, result_make
from tools.mcp.settings import Configured
from tools.web.abortable import abortable


class McpTool:
    """Compared by identity: the same object as long as server and tool stay as they are."""

    execution: Literal["parallel", "sequential"] = "parallel"

    def __init__(self, configured: Configured, spec: ToolSpec) -> None:
        self.configured = configured
        self.spec = spec
        self.name = spec.name
        self.label = spec.label
        self.description = spec.description
        self.parameters = spec.parameters
        self.repeatable = spec.read_only
        # Asked about after content from outside; a server that says nothing is not taken for it.
        self.dangerous = spec.destructive

    def is_of(self, configured: Configured, spec: ToolSpec) -> bool:
        """Whether this is already the tool that these describe."""
        return self.configured.mark == configured.mark and self.spec == spec

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Calls the server; connects first where that was not done yet, or has ended."""
        from tools.mcp.hub import hub

        server = self.configured.name
        call = hub().call(self.configured, self.spec.remote, arguments)
        try:
            answer = await abortable(_waited(call), signal)
        except (ToolError, asyncio.CancelledError):
            raise
        except McpUnavailableError as error:
            text = f"The MCP server {server} cannot be used: {error}."
            raise ToolError(text, details=outside(server)) from error
        except TimeoutError as error:
            seconds = self.configured.server.call_timeout_ms / 1000
            text = f"The MCP server {server} did not answer within {seconds:g} s."
            raise ToolError(text, details=outside(server)) from error
        except Exception as error:
            text = f"The MCP server {server} refused the call: {reason_of(error)}"
            raise ToolError(text, details=outside(server)) from error
        return result_make(server, self.spec.remote, answer)


async def _waited(call: Any) -> Mapping[str, Any]:
    return await asyncio.wrap_future(call)
