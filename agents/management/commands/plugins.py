"""`manage.py plugins`: which plugins there are, and how they stand."""

from __future__ import annotations

import argparse
from typing import Any

import orjson
from django.core.management.base import BaseCommand

from agents.plugins.loader import plugin_states, plugins_load
from agents.plugins.state import PluginState


class Command(BaseCommand):
    """Lists every installed or configured plugin."""

    help = (
        "Lists plugins: id, version, state, hooks, and why one is not loaded. The enabled ones are "
        "loaded into this process to see whether that works."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The form of the list."""
        parser.add_argument("--json", action="store_true", help="one JSON array")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints one line a plugin."""
        plugins_load()
        states = plugin_states()
        if options["json"]:
            self.stdout.write(orjson.dumps([_row(state) for state in states]).decode())
            return
        if not states:
            self.stdout.write("No plugins are installed. docs/plugins.md says how to make one.")
            return
        widths = [max(len(row[column]) for row in map(_cells, states)) for column in range(3)]
        for state in states:
            cells = _cells(state)
            line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            self.stdout.write(f"{line}  {_rest(state)}".rstrip())


def _cells(state: PluginState) -> tuple[str, str, str]:
    return state.id, state.version or "-", state.standing


def _rest(state: PluginState) -> str:
    if state.reason:
        return state.reason
    given = [f"{one.kind} {one.name}" for one in state.contributions]
    hooks = f"hooks: {', '.join(state.hooks)}" if state.hooks else ""
    return "; ".join(part for part in (hooks, ", ".join(given)) if part)


def _row(state: PluginState) -> dict[str, Any]:
    return {
        "id": state.id,
        "name": state.name,
        "version": state.version,
        "package": state.package,
        "state": state.standing,
        "hooks": list(state.hooks),
        "registers": [{"kind": one.kind, "name": one.name} for one in state.contributions],
        "error": state.reason,
    }
