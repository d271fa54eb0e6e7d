"""The `mcp` section: kept as one document, the secrets in `env` and `headers` encrypted."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.section import Document, Section
from tools.mcp.schema import McpDocument, McpServer
from tools.mcp.store import catalogues_forget

NAME = "mcp"


class McpSection(Section[McpDocument]):
    """Refuses names that could be taken for one another, warns of what cannot be started."""

    def check(self, typed: McpDocument, findings: Findings) -> None:
        """Looks at each server by itself and beside the others."""
        seen: dict[str, str] = {}
        for name, server in typed.servers.items():
            key = name.lower().replace("-", "_")
            if key in seen:
                text = _("is too much like %(other)s: choose another name")
                findings.error(self.path("servers", name), text % {"other": seen[key]})
            seen.setdefault(key, name)
            if server.enabled and server.command:
                self._check_command(name, server, findings)

    def load(self, document: Document | None, typed: McpDocument, findings: Findings) -> None:
        """Keeps the document, and forgets what is known of servers that it leaves out."""
        super().load(document, typed, findings)
        catalogues_forget(keep=list(typed.servers))

    def _check_command(self, name: str, server: McpServer, findings: Findings) -> None:
        if shutil.which(str(Path(server.command).expanduser())) is None and not server.env:
            text = _("there is no program %(name)s here")
            path = self.path("servers", name, "command")
            findings.warn(path, text % {"name": server.command})
        if server.cwd and not Path(server.cwd).expanduser().is_dir():
            findings.warn(self.path("servers", name, "cwd"), _("there is no such folder"))


MCP = McpSection(NAME, McpDocument)
