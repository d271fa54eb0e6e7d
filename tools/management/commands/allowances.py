"""`manage.py allowances`: commands that agents may run without anybody being asked."""

from __future__ import annotations

import argparse
import getpass
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from tools.allowances import EVERY_AGENT, allowance_add, allowance_list, allowance_remove
from tools.exec_security.patterns import EXACT, exact_pattern
from tools.models import ExecAllowance


class Command(BaseCommand):
    """A door: parses, calls one service, prints."""

    help = "Lists, adds and removes commands that agents may run without anybody being asked."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """list, add and remove."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        listed = actions.add_parser("list", help="all entries, or those that hold for an agent")
        listed.add_argument("--agent", default="", metavar="ID")
        listed.add_argument("--json", action="store_true", help="one JSON array")
        added = actions.add_parser("add", help="one entry")
        added.add_argument("pattern", nargs="?", default="", help="a path with * or **, or a name")
        added.add_argument("--agent", default=EVERY_AGENT, metavar="ID", help="default: all agents")
        added.add_argument("--arguments", default="", metavar="REGEX", help="default: any")
        added.add_argument("--command", default="", metavar="TEXT", help="exactly this command")
        removed = actions.add_parser("remove", help="one entry")
        removed.add_argument("id", type=int, help="its number in the list")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints one line an entry; what cannot be done is one sentence."""
        try:
            if options["action"] == "list":
                self._list(options)
            elif options["action"] == "add":
                self.stdout.write(_line(_added(options)))
            else:
                row = allowance_remove(entry_id=options["id"])
                self.stdout.write(_("Removed: %(entry)s") % {"entry": row})
        except OpenClawError as error:
            raise CommandError(error.message) from error

    def _list(self, options: dict[str, Any]) -> None:
        rows = list(allowance_list(options["agent"]))
        if options["json"]:
            self.stdout.write(orjson.dumps([_json(row) for row in rows]).decode())
            return
        for row in rows:
            self.stdout.write(_line(row))
        if not rows:
            self.stdout.write(_("No command is allowed beyond those that only look."))


def _added(options: dict[str, Any]) -> ExecAllowance:
    command = options["command"]
    if bool(command) == bool(options["pattern"]):
        raise CommandError(_("Name a pattern, or a whole command with --command."))
    return allowance_add(
        agent=options["agent"],
        pattern=exact_pattern(command) if command else options["pattern"],
        argument_pattern=options["arguments"],
        added_by=getpass.getuser(),
        command=command,
    )


def _line(row: ExecAllowance) -> str:
    exact = row.pattern.startswith(EXACT)
    what = row.argument_pattern or ("" if exact else _("any arguments"))
    # What an answer was about says nothing of what its entry allows.
    about = row.command_text
    if about and not exact:
        about = _("(asked about: %(command)s)") % {"command": about}
    parts = (str(row.pk), row.agent_slug, row.pattern, what, about)
    return "  ".join(part for part in parts if part)


def _json(row: ExecAllowance) -> dict[str, Any]:
    return {
        "id": row.pk,
        "agentId": row.agent_slug,
        "pattern": row.pattern,
        "argPattern": row.argument_pattern,
        "source": row.source,
        "commandText": row.command_text,
        "addedBy": row.added_by,
        "lastUsedAt": row.last_used_at,
        "lastUsedCommand": row.last_used_command,
        "lastResolvedPath": row.last_resolved_path,
    }
