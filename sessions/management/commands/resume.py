"""`manage.py resume`: starts everything again after `pause`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _

from sessions.stops import everything_resume


class Command(BaseCommand):
    help = "Starts everything again; what waited is worked on now."

    def handle(self, *args: Any, **options: Any) -> None:
        everything_resume(by="command line")
        self.stdout.write(_("Everything runs again."))
