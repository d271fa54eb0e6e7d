"""The `mcp` section of the configuration document as a model (automation.md 7.3)."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field, model_validator

from agents.config.schema import Kept, Strict
from agents.config.sections.models_schema import Address

Transport = Literal["stdio", "streamable-http", "sse"]
# No double underscore and none at an end: together with a tool's name it must stay unambiguous.
_NAME = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")


def _name(value: str) -> str:
    if len(value) > 30 or not _NAME.match(value):
        raise ValueError(
            _(
                "a server is called with at most 30 letters and digits, single hyphens or "
                "underscores between them"
            )
        )
    return value


def _variable(value: str) -> str:
    if not _VARIABLE.match(value):
        raise ValueError(_("is no name of an environment variable"))
    return value


def _header(value: str) -> str:
    if not _HEADER.match(value):
        raise ValueError(_("is no name of a header"))
    return value


def _one_line(value: str) -> str:
    if any(sign in value for sign in "\0\r\n"):
        raise ValueError(_("must be one line"))
    return value


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError(_("must hold no NUL character"))
    return value


def _folder(value: str) -> str:
    if value and not value.startswith(("/", "~/")):
        raise ValueError(_("must be an absolute path"))
    return _no_nul(value)


ServerName = Annotated[str, AfterValidator(_name)]
Word = Annotated[str, AfterValidator(_no_nul)]
Milliseconds = Annotated[int, Field(ge=100, le=3_600_000)]


class McpToolFilter(Strict):
    """Which tools of a server are taken, by the server's own names; `*` stands for anything."""

    allow: list[str] = []
    deny: list[str] = []


class McpServer(Strict):
    """One server: a command that is started, or an address that is called."""

    enabled: bool = True
    transport: Transport | None = None
    command: Word = ""
    args: list[Word] = []
    env: dict[Annotated[str, AfterValidator(_variable)], Word] = {}
    cwd: Annotated[str, AfterValidator(_folder)] = ""
    url: Address = ""
    headers: dict[
        Annotated[str, AfterValidator(_header)], Annotated[str, AfterValidator(_one_line)]
    ] = {}
    connection_timeout_ms: Milliseconds = 30_000
    call_timeout_ms: Milliseconds = 60_000
    tools: McpToolFilter = McpToolFilter()

    @property
    def way(self) -> Transport:
        """How it is spoken to."""
        return self.transport or ("streamable-http" if self.url else "stdio")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.command.strip()) == bool(self.url):
            raise ValueError(_("needs either command or url"))
        if (self.way == "stdio") != bool(self.command):
            raise ValueError(_("transport stdio goes with command, the others with url"))
        if self.url and (self.args or self.env or self.cwd):
            raise ValueError(_("args, env and cwd go with command, not with url"))
        if self.command and self.headers:
            raise ValueError(_("headers go with url, not with command"))
        return self


class McpDocument(Strict):
    """The whole section. A connection that nobody uses is closed after `session_idle_ttl_ms`."""

    servers: dict[ServerName, McpServer] = {}
    session_idle_ttl_ms: Annotated[int, Field(ge=1_000, le=86_400_000)] = 600_000

    apps: Kept = None
