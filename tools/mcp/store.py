"""The rows of what is known of servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils import timezone

from agents.config.cache import cached, change_announce
from agents.core.clean_text import clean_json, clean_text
from agents.database import write_transaction
from tools.mcp.catalogue import Catalogue, ToolSpec
from tools.models import McpCatalogue


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of a server: its tools, or the `problem` with it."""

    mark: str
    problem: str
    catalogue: Catalogue


def catalogues_known() -> Mapping[str, Known]:
    """Everything that is known, by server. Queries nothing when it was read a moment ago."""
    return cached("mcp catalogues", _read)


def catalogue_store(
    *, server: str, mark: str, catalogue: Catalogue | None = None, problem: str = ""
) -> bool:
    """Keeps what was found out, and tells all processes when it is news. Returns whether it is."""
    found = catalogue or Catalogue()
    values = {
        "mark": mark,
        "problem": clean_text(problem),
        "tools": clean_json([tool.to_json() for tool in found.tools]),
        "notes": clean_json(list(found.problems)),
    }
    row = McpCatalogue.objects.filter(pk=server).first()
    if row is not None and all(getattr(row, key) == value for key, value in values.items()):
        return False
    with write_transaction():
        values["changed_at"] = timezone.now()
        McpCatalogue.objects.update_or_create(server=server, defaults=values)
    change_announce()
    return True


def catalogues_forget(*, keep: list[str]) -> None:
    """Removes the rows of servers that are not configured any more."""
    McpCatalogue.objects.exclude(pk__in=keep).delete()


def _read() -> dict[str, Known]:
    return {
        row.server: Known(
            mark=row.mark,
            problem=row.problem,
            catalogue=Catalogue(
                tuple(ToolSpec.from_json(tool) for tool in row.tools), tuple(row.notes)
            ),
        )
        for row in McpCatalogue.objects.all()
    }
