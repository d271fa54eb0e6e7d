"""`manage.py mcp`: which MCP servers there are, whether they work, and what they offer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.config.registry import section
from tools.mcp.failures import McpUnavailableError
from tools.mcp.hub import hub, hub_stop
from tools.mcp.schema import McpDocument, McpServer
from tools.mcp.settings import configured, mcp_settings
from tools.mcp.states import ServerState, server_states


class Command(BaseCommand):
    """A door: parses, asks, prints."""

    help = "Lists MCP servers, tests one, shows the tools that are known."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do, and with which server."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        listing = commands.add_parser("list", help="every server and how it stands")
        listing.add_argument("--json", action="store_true", help="one JSON array")
        tools = commands.add_parser("tools", help="the tools that workers know")
        tools.add_argument("server", nargs="?", default="")
        test = commands.add_parser("test", help="connects now and shows what the server offers")
        test.add_argument("server")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints the answer; what cannot be answered is one sentence."""
        document: McpDocument = section("mcp")
        if options["action"] == "list":
            self._list(as_json=options["json"])
            return
        server = options["server"]
        if server and server not in document.servers:
            known = ", ".join(sorted(document.servers)) or "-"
            text = _("There is no MCP server %(name)s; there are: %(known)s.")
            raise CommandError(text % {"name": server, "known": known})
        if options["action"] == "tools":
            self.stdout.write("\n".join(_tools(server)))
        else:
            self._test(server, document.servers[server])

    def _list(self, *, as_json: bool) -> None:
        states = server_states()
        if as_json:
            self.stdout.write(orjson.dumps([state.to_json() for state in states]).decode())
        elif not states:
            self.stdout.write(_("No MCP servers are configured (mcp.servers)."))
        else:
            width = max(len(state.name) for state in states)
            for state in states:
                self.stdout.write(f"{state.name.ljust(width)}  {_line(state)}")

    def _test(self, name: str, server: McpServer) -> None:
        limit = server.connection_timeout_ms / 1000 + 15
        try:
            found = hub().test(configured(name, server)).result(limit)
        except (McpUnavailableError, TimeoutError, CancelledError) as error:
            text = _("The MCP server %(name)s cannot be used: %(problem)s.")
            raise CommandError(text % {"name": name, "problem": error}) from error
        finally:
            hub_stop()
        for tool in found.tools:
            self.stdout.write(f"{tool.name}  {tool.label}")
        for problem in found.problems:
            self.stdout.write(_("Left out: %(problem)s") % {"problem": problem})


def _tools(server: str) -> Iterator[str]:
    for state in server_states():
        if state.name in mcp_settings().servers and server in ("", state.name):
            yield from state.tools


def _line(state: ServerState) -> str:
    parts = [state.standing, state.transport]
    if state.standing == "ready":
        parts.append(_("%(count)d tools") % {"count": len(state.tools)})
    return "  ".join([*parts, *filter(None, [state.problem, *state.notes])])
