"""`manage.py policy explain`: which tools somebody has, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from agents.plugins.loader import plugins_load
from sessions.people import owner_ensure
from sessions.tool_policy import PolicyExplanation, ToolLine, policy_explain


class Command(BaseCommand):
    """A door: parses, asks one service, prints."""

    help = "Explains the tool policy."

    def add_arguments(self, parser: CommandParser) -> None:
        """The question; everything in it may be left out."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        explain = commands.add_parser("explain", help="for each tool the rule that removed it")
        explain.add_argument("--agent", default="", metavar="ID", help="default: the default agent")
        explain.add_argument("--session", default="", metavar="KEY", help="may be one to come")
        explain.add_argument(
            "--sender", default="", metavar="WHO",
            help="a person's name or id; id:, e164:, username: or name: for a stranger",
        )  # fmt: skip
        explain.add_argument("--channel", default="", metavar="NAME", help="default: web")
        explain.add_argument("--model", default="", metavar="NAME", help="default: the session's")
        explain.add_argument("--sandboxed", action="store_true", help="as if in a sandbox")
        explain.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints the answer; what cannot be answered is one sentence."""
        # Their tools are in question, too.
        plugins_load()
        try:
            explained = policy_explain(
                principal=owner_ensure().principal(),
                agent=options["agent"],
                session=options["session"],
                sender=options["sender"],
                channel=options["channel"],
                model=options["model"],
                sandboxed=options["sandboxed"],
            )
        except OpenClawError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(orjson.dumps(explained.to_json()).decode())
        else:
            self.stdout.write("\n".join(_lines(explained)))


def _lines(explained: PolicyExplanation) -> Iterator[str]:
    yield explained.sentence
    yield _("Model: %(model)s") % {"model": explained.model}
    width = max((len(tool.name) for tool in explained.tools), default=0)
    for tool in explained.tools:
        yield f"  {tool.name.ljust(width)}  {_verdict(tool)}"
    for note in explained.notes:
        yield _("Note: %(text)s") % {"text": note}


def _verdict(tool: ToolLine) -> str:
    if tool.kept:
        return _("kept")
    number = f"{tool.number} " if tool.number else ""
    return _("removed") + f"  {number}{tool.layer}  ({tool.rule})"
