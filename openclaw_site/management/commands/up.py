"""`manage.py up`: the same as `make up` on a machine that is already set up."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext_lazy as _


class Command(BaseCommand):
    help = _(  # type: ignore[assignment] # the stubs know no lazy text
        "Starts the whole gateway on this machine and keeps it running."
    )
    requires_system_checks: tuple[str, ...] = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Becomes the supervisor: it must not carry Django's memory."""
        os.execv(sys.executable, [sys.executable, "-m", "openclaw_site.supervisor"])  # noqa: S606
