"""`manage.py chat`: a conversation with an agent at a terminal."""

from __future__ import annotations

import contextlib
import signal
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.core.errors import OpenClawError
from agents.core.principal import Principal
from sessions.people import owner_ensure
from sessions.terminal import message_run
from sessions.terminal_screen import TerminalScreen, session_key_chosen

LEAVE_WORDS = ("/quit", "/exit")
PROMPT = "> "


class Command(BaseCommand):
    help = "Talks with an agent as the owner. /quit or Ctrl-D leaves, Ctrl-C stops the turn."

    # They would load every page and triple the time to the first word.
    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", default="", help="default: the default agent")
        parser.add_argument("--session-key", default="", help="default: the agent's main session")

    def handle(self, *args: Any, **options: Any) -> None:
        # Its import gives input() a line editor and a history, where the system has one.
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401
        # Whoever started this may ignore Ctrl-C, which a child then does as well.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        principal = owner_ensure().principal()
        try:
            key = session_key_chosen(agent=options["agent"], key=options["session_key"])
        except OpenClawError as error:
            raise CommandError(error.message) from error
        hint = _("Session %(key)s. /help lists commands, /quit leaves, Ctrl-C stops a turn.")
        self.stdout.write(hint % {"key": key})
        while (text := self._ask()) is not None:
            if text:
                self._answer(principal, key, text)

    def _ask(self) -> str | None:
        """The next line, "" for one that was broken off, None when the person leaves."""
        try:
            text = input(PROMPT).strip()
        except KeyboardInterrupt:
            self.stdout.write("")
            return ""
        except EOFError:
            self.stdout.write("")
            return None
        return None if text in LEAVE_WORDS else text

    def _answer(self, principal: Principal, key: str, text: str) -> None:
        screen = TerminalScreen(self.stdout, self.stderr)
        try:
            status = message_run(principal=principal, session_key=key, text=text, screen=screen)
        except OpenClawError as error:
            screen.note(error.message)
        except KeyboardInterrupt:
            screen.note(_("left to itself; the answer will be in the session"))
        else:
            screen.ending(status)
