"""`manage.py sessions`: the conversations, last changed first."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from sessions.people import owner_ensure
from sessions.selectors import sessions_list


class Command(BaseCommand):
    help = "Lists sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", default="")
        parser.add_argument("--search", default="")
        parser.add_argument("--limit", type=int, default=20)

    def handle(self, *args: Any, **options: Any) -> None:
        found = sessions_list(
            principal=owner_ensure().principal(),
            agent_id=options["agent"],
            search=options["search"],
            limit=options["limit"],
        )
        for session in found:
            changed = f"{session.updated_at:%Y-%m-%d %H:%M}"
            self.stdout.write(f"{changed}  {session.key:40}  {session}")
        if not found:
            self.stdout.write(_("No session yet."))
