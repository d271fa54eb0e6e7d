"""What a server offers, made usable: names, texts and schemas that no model service refuses. Pure.

Everything here comes from outside; what cannot be used is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from agents.core.untrusted import neutralised, one_line
from tools.mcp.names import tool_names
from tools.mcp.schema import McpToolFilter
from tools.mcp.schemas import UnusableSchemaError, schema_checked

# A server with more would fill every request of every agent.
MAX_TOOLS = 512
_DESCRIPTION_CHARS = 4_000
_LABEL_CHARS = 80


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a server lists it."""

    name: str
    schema: Any
    title: str = ""
    description: str = ""
    read_only: bool = False
    destructive: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that can be used: `name` for models, `remote` for its server.

    `read_only` and `destructive` are what the server says of it.
    """

    name: str
    remote: str
    label: str
    description: str
    parameters: Mapping[str, Any]
    read_only: bool
    destructive: bool = False

    def to_json(self) -> dict[str, Any]:
        """The form in which it is stored."""
        return {
            "name": self.name, "remote": self.remote, "label": self.label,
            "description": self.description, "parameters": dict(self.parameters),
            "readOnly": self.read_only, "destructive": self.destructive,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolSpec:
        """The reverse of `to_json`."""
        return cls(
            data["name"], data["remote"], data["label"], data["description"],
            data["parameters"], data["readOnly"], data.get("destructive", False),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The usable tools of a server in its own order; `problems` say what was left out and why."""

    tools: tuple[ToolSpec, ...] = ()
    problems: tuple[str, ...] = ()


def catalogue_make(server: str, offers: Iterable[Offer], wanted: McpToolFilter) -> Catalogue:
    """The catalogue of a server. A tool that cannot be used is a problem of its own."""
    problems: list[str] = []
    taken: dict[str, Offer] = {}
    for offer in offers:
        if not _is_wanted(offer.name, wanted):
            continue
        if offer.name in taken:
            problems.append(f"{one_line(offer.name, 80)}: listed twice, the first one is used")
        taken.setdefault(offer.name, offer)
    if len(taken) > MAX_TOOLS:
        problems.append(f"only the first {MAX_TOOLS} of {len(taken)} tools are used")
    names = tool_names(server, taken)
    tools = []
    for offer in list(taken.values())[:MAX_TOOLS]:
        try:
            tools.append(_spec(names[offer.name], offer))
        except UnusableSchemaError as error:
            problems.append(f"{one_line(offer.name, 80)}: {one_line(str(error))}")
    return Catalogue(tuple(tools), tuple(problems))


def _is_wanted(name: str, wanted: McpToolFilter) -> bool:
    if any(fnmatchcase(name, pattern) for pattern in wanted.deny):
        return False
    return not wanted.allow or any(fnmatchcase(name, pattern) for pattern in wanted.allow)


def _spec(name: str, offer: Offer) -> ToolSpec:
    # Models take descriptions for the word of the product.
    text = neutralised(offer.description[: _DESCRIPTION_CHARS * 2]).strip()
    return ToolSpec(
        name=name,
        remote=offer.name,
        label=one_line(offer.title or offer.name, _LABEL_CHARS),
        description=text[:_DESCRIPTION_CHARS] or one_line(offer.title or offer.name),
        parameters=schema_checked(offer.schema),
        read_only=offer.read_only,
        destructive=offer.destructive,
    )
