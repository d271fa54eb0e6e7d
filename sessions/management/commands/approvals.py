"""`manage.py approvals`: what waits for a decision, and the decision at the command line."""

from __future__ import annotations

import os
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from sessions.approvals.selectors import approvals_ended, approvals_pending
from sessions.approvals.services import approval_resolve
from sessions.approvals.shapes import approval_json, command_text, preview
from sessions.models import Approval
from sessions.people import owner_ensure


class Command(BaseCommand):
    """A door: parses, asks one service, prints."""

    help = "Lists what waits for a decision, and decides."

    def add_arguments(self, parser: CommandParser) -> None:
        """list and resolve."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        listed = commands.add_parser("list", help="what waits, oldest first")
        listed.add_argument("--session", default="", metavar="KEY", help="only of this session")
        listed.add_argument("--ended", action="store_true", help="what was decided or ran out")
        listed.add_argument("--json", action="store_true", help="one JSON array")
        resolve = commands.add_parser("resolve", help="decides")
        resolve.add_argument("ref", metavar="CODE", help="code, id, or the beginning of one")
        resolve.add_argument("decision", help="allow-once, allow-always or deny")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints what there is; what cannot be done is one sentence."""
        if options["action"] == "list":
            self._list(options)
            return
        # Commands of an agent carry this mark: it must not decide about itself.
        if os.environ.get("OPENCLAW_SHELL"):
            raise CommandError(_("Only a person can decide; this is a command of an agent."))
        try:
            decided = approval_resolve(
                ref=options["ref"],
                decision=options["decision"],
                principal=owner_ensure().principal(),
                through="cli",
            )
        except OpenClawError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{decided.slug}  {decided.get_state_display()}")

    def _list(self, options: dict[str, Any]) -> None:
        owner = owner_ensure().principal()
        if options["ended"]:
            found = approvals_ended(principal=owner)
        else:
            found = approvals_pending(principal=owner, session_key=options["session"])
        if options["json"]:
            self.stdout.write(orjson.dumps([approval_json(one) for one in found]).decode())
            return
        for approval in found:
            self.stdout.write(_line(approval))
        if not found:
            self.stdout.write(_("Nothing waits for a decision."))


def _line(approval: Approval) -> str:
    asked = f"{approval.created_at:%Y-%m-%d %H:%M:%S}"
    state = str(approval.get_state_display())
    return (
        f"{asked}  {approval.slug}  {state:12}  {approval.agent_slug}  {approval.tool}  "
        f"{preview(command_text(approval))}"
    )
