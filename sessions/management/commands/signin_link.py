"""`manage.py signin_link`: a one-time link that signs a person in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from sessions.models import Person
from sessions.people import owner_ensure, owner_has_signed_in, signin_link_create


class Command(BaseCommand):
    help = "Prints a link that signs a person in once, by default the first owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", default="")
        parser.add_argument("--minutes", type=int, default=15)
        parser.add_argument(
            "--if-no-owner-session",
            action="store_true",
            help="print nothing when an owner has signed in before",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        minutes = options["minutes"]
        if not 1 <= minutes <= 24 * 60:
            raise CommandError(_("--minutes must be 1 to 1440."))
        if options["if_no_owner_session"] and owner_has_signed_in():
            return
        person = self._person(options["username"])
        token = signin_link_create(person=person, minutes=minutes)
        self.stdout.write(f"{settings.OPENCLAW.address}/signin/{token}/")

    def _person(self, username: str) -> Person:
        if not username:
            return owner_ensure()
        person = Person.objects.filter(user__username=username).first()
        if person is None:
            text = _("There is no person with the user name %(name)s.")
            raise CommandError(text % {"name": username})
        return person
