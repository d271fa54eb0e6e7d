"""`manage.py agent`: one message to an agent, its answer on standard output."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.core.errors import OpenClawError
from sessions.people import owner_ensure
from sessions.run_selectors import RunStatus
from sessions.terminal import WORKER_SECONDS, message_run
from sessions.terminal_screen import (
    SilentScreen,
    TerminalScreen,
    session_key_chosen,
    status_json,
)


class Command(BaseCommand):
    help = "Sends a message as the owner and shows the answer. Ctrl-C stops the turn."

    # They would load every page and triple the time to the first word.
    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--message", "-m", required=True, help="text; - reads standard input")
        parser.add_argument("--agent", default="", help="default: the default agent")
        parser.add_argument("--session-key", default="", help="default: the agent's main session")
        parser.add_argument("--model", default="", help="provider/model or an alias, this once")
        parser.add_argument("--thinking", default="", metavar="LEVEL", help="off to max, this once")
        parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
        parser.add_argument(
            "--worker-wait",
            type=float,
            default=WORKER_SECONDS,
            metavar="SECONDS",
            help="how long to wait for a worker (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            status = self._run(options)
        except OpenClawError as error:
            if options["json"]:
                self._write_json({"status": "error", "error": _error_json(error)})
                sys.exit(1)
            raise CommandError(error.message) from error
        if options["json"]:
            self._write_json(status_json(status))
        if status.state != "final":
            sys.exit(1)

    def _run(self, options: dict[str, Any]) -> RunStatus:
        text = sys.stdin.read() if options["message"] == "-" else options["message"]
        key = session_key_chosen(agent=options["agent"], key=options["session_key"])
        screen = TerminalScreen(self.stdout, self.stderr)
        status = message_run(
            principal=owner_ensure().principal(),
            session_key=key,
            text=text,
            screen=SilentScreen() if options["json"] else screen,
            worker_seconds=options["worker_wait"],
            options={name: options[name] or None for name in ("model", "thinking")},
        )
        if not options["json"]:
            screen.ending(status)
        return status

    def _write_json(self, value: dict[str, Any]) -> None:
        self.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _error_json(error: OpenClawError) -> dict[str, str]:
    return {"kind": error.code, "message": error.message}
