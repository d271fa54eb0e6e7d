"""`manage.py plugins`: which plugins there are, how they stand, and switching them."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from agents.core.errors import OpenClawError
from agents.plugins.loader import plugin_states, plugins_load
from agents.plugins.services import plugin_switch
from agents.plugins.state import PluginState


class Command(BaseCommand):
    """Lists plugins, tells all about one, enables and disables them."""

    help = (
        "Lists plugins: id, version, state, hooks, and why one is not loaded. The enabled ones are "
        "loaded into this process to see whether that works."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """What to do; without an action it lists."""
        parser.add_argument("--json", action="store_true", help="one JSON array")
        commands = parser.add_subparsers(dest="action", metavar="ACTION")
        commands.add_parser("list", help="every plugin in one line")
        for name, words in (
            ("info", "everything about one plugin"),
            ("enable", "lets it be loaded by the next start"),
            ("disable", "keeps it from being loaded by the next start"),
        ):
            commands.add_parser(name, help=words).add_argument("id")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the answer; what cannot be done is one sentence."""
        action = options["action"] or "list"
        if action in ("enable", "disable"):
            self._switch(options["id"], enabled=action == "enable")
            return
        plugins_load()
        states = plugin_states()
        if action == "info":
            self._info(options["id"], states, as_json=options["json"])
        elif options["json"]:
            self.stdout.write(orjson.dumps([_row(state) for state in states]).decode())
        elif not states:
            self.stdout.write("No plugins are installed. docs/plugins.md says how to make one.")
        else:
            self.stdout.write("\n".join(_lines(states)))

    def _switch(self, plugin_id: str, *, enabled: bool) -> None:
        try:
            report = plugin_switch(plugin_id=plugin_id, enabled=enabled, author=_author())
        except OpenClawError as error:
            raise CommandError(error.message) from error
        word = "enabled" if enabled else "disabled"
        again = "; restart the gateway" if report.changed else " already"
        self.stdout.write(f"{plugin_id} is {word}{again}.")

    def _info(self, plugin_id: str, states: list[PluginState], *, as_json: bool) -> None:
        state = next((one for one in states if one.id == plugin_id), None)
        if state is None:
            known = ", ".join(one.id for one in states) or "none"
            raise CommandError(f"There is no plugin {plugin_id}; there are: {known}.")
        row = _row(state)
        if as_json:
            self.stdout.write(orjson.dumps(row).decode())
            return
        row["registers"] = [f"{one.kind} {one.name}" for one in state.contributions]
        for key, value in row.items():
            text = ", ".join(value) if isinstance(value, list) else value
            self.stdout.write(f"{key}: {text or '-'}")


def _author() -> str:
    try:
        return getpass.getuser()[:64]
    except (OSError, KeyError):
        return ""


def _lines(states: list[PluginState]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in map(_cells, states)) for column in range(3)]
    for state in states:
        cells = _cells(state)
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"{line}  {_rest(state)}".rstrip()


def _cells(state: PluginState) -> tuple[str, str, str]:
    return state.id, state.version or "-", state.standing


def _rest(state: PluginState) -> str:
    if state.reason:
        return state.reason
    given = [f"{one.kind} {one.name}" for one in state.contributions]
    hooks = f"hooks: {', '.join(state.hooks)}" if state.hooks else ""
    left_out = f"left out: {' '.join(state.conflicts)}" if state.conflicts else ""
    return "; ".join(part for part in (hooks, ", ".join(given), left_out) if part)


def _row(state: PluginState) -> dict[str, Any]:
    return {
        "id": state.id,
        "name": state.name,
        "version": state.version,
        "package": state.package,
        "state": state.standing,
        "hooks": list(state.hooks),
        "registers": [{"kind": one.kind, "name": one.name} for one in state.contributions],
        "conflicts": list(state.conflicts),
        "error": state.reason,
    }
