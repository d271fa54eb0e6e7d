"""manage.py auth: sign in to a model service, and ask which credential would be used."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.catalog.known_providers import COPILOT
from agents.core.errors import OpenClawError
from agents.credentials.copilot import device_signin_start, device_signin_wait
from agents.credentials.explain_command import explain_add, explain_text
from agents.models import DeviceSignIn


class Command(BaseCommand):
    """A door: parses, asks one service, prints."""

    help = "Sign in to a model service, or explain which credential an agent would use."

    def add_arguments(self, parser: CommandParser) -> None:
        """One subcommand for each thing that can be done."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        login = commands.add_parser("login", help="sign in with a code that you type in a browser")
        login.add_argument("provider", metavar="PROVIDER", help=f"only {COPILOT} so far")
        login.add_argument("--profile", default="", metavar="NAME", help="name of the credential")
        explain_add(commands)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Runs the subcommand; what a service refuses is one sentence."""
        try:
            if options["action"] == "explain":
                self.stdout.write(explain_text(options))
            else:
                self._login(options)
        except OpenClawError as error:
            raise CommandError(error.message) from error

    def _login(self, options: dict[str, Any]) -> None:
        """Prints page and code and waits until the code was typed or has run out."""
        signin = device_signin_start(provider=options["provider"], profile=options["profile"])
        text = _("Open %(page)s and type the code %(code)s")
        self.stdout.write(text % {"page": signin.address, "code": signin.user_code})
        self.stdout.write(_("Waiting until you have …"))
        self.stdout.flush()
        try:
            ended = device_signin_wait(signin=signin, rest=time.sleep)
        except KeyboardInterrupt:
            raise CommandError(_("Stopped waiting; nothing was stored.")) from None
        if ended.state != DeviceSignIn.State.DONE:
            text = _("Not signed in: %(state)s. %(detail)s")
            values = {"state": DeviceSignIn.State(ended.state).label, "detail": ended.detail}
            raise CommandError((text % values).strip())
        self.stdout.write(_("Signed in. The credential is %(name)s.") % {"name": ended.profile})
