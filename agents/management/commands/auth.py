"""manage.py auth: sign in to a model service."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.catalog.known_providers import COPILOT
from agents.core.errors import OpenClawError
from agents.credentials.copilot import device_signin_start, device_signin_wait
from agents.models import DeviceSignIn


class Command(BaseCommand):
    """A door: shows the code, waits, tells how it ended."""

    help = "Sign in to a model service in a browser; the credential is kept encrypted."

    def add_arguments(self, parser: CommandParser) -> None:
        """One subcommand."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        login = commands.add_parser("login", help="sign in with a code that you type in a browser")
        login.add_argument("provider", metavar="PROVIDER", help=f"only {COPILOT} so far")
        login.add_argument("--profile", default="", metavar="NAME", help="name of the credential")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints page and code and waits until the code was typed or has run out."""
        try:
            signin = device_signin_start(provider=options["provider"], profile=options["profile"])
        except OpenClawError as error:
            raise CommandError(error.message) from error
        text = _("Open %(page)s and type the code %(code)s")
        self.stdout.write(text % {"page": signin.address, "code": signin.user_code})
        self.stdout.write(_("Waiting until you have …"))
        self.stdout.flush()
        ended = device_signin_wait(signin=signin, rest=time.sleep)
        if ended.state != DeviceSignIn.State.DONE:
            text = _("Not signed in: %(state)s. %(detail)s")
            values = {"state": DeviceSignIn.State(ended.state).label, "detail": ended.detail}
            raise CommandError((text % values).strip())
        self.stdout.write(_("Signed in. The credential is %(name)s.") % {"name": ended.profile})
