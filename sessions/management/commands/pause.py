"""`manage.py pause`: the switch that stops everything."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from sessions.stops import everything_stop


class Command(BaseCommand):
    help = "Stops all agents. Messages are still accepted and wait for `resume`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        everything_stop(by="command line", reason=options["reason"])
        self.stdout.write(_("Everything is stopped. `manage.py resume` starts it again."))
