"""`manage.py prompt show`: what an agent is told."""

from __future__ import annotations

from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.core.errors import OpenClawError
from agents.plugins.loader import plugins_load
from sessions.people import owner_ensure
from sessions.prompts import prompt_shown, size_lines


class Command(BaseCommand):
    """A door: parses, asks one selector, prints."""

    help = "Shows the system prompt of an agent, and how many tokens each part takes."

    def add_arguments(self, parser: CommandParser) -> None:
        """The agent, the session and the form."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        show = actions.add_parser("show", help="the prompt that a message would get now")
        show.add_argument("agent", nargs="?", default="", help="default: the default agent")
        show.add_argument("--session", default="", metavar="KEY", help="may be one to come")
        show.add_argument("--sizes", action="store_true", help="only what takes how many tokens")
        show.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints the prompt; what cannot be answered is one sentence."""
        plugins_load()
        try:
            shown = prompt_shown(
                principal=owner_ensure().principal(),
                agent=options["agent"],
                session=options["session"],
            )
        except OpenClawError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(orjson.dumps(shown.to_json()).decode())
            return
        if not options["sizes"]:
            self.stdout.write(shown.text)
        self.stdout.write("\n".join(size_lines(shown)))
