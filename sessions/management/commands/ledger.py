"""`manage.py ledger check`: does every account balance?"""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from sessions.ledger import ledger_check


class Command(BaseCommand):
    help = "Checks that no message was lost or answered twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["check"])
        parser.add_argument("--settled", action="store_true", help="nothing may be running")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        ledger = ledger_check(settled=options["settled"])
        if options["json"]:
            faults = [vars_of(fault) for fault in ledger.faults]
            self.stdout.write(json.dumps({"counts": ledger.counts, "faults": faults}))
        else:
            for name, count in sorted(ledger.counts.items()):
                self.stdout.write(f"{name:12} {count}")
            for fault in ledger.faults:
                self.stdout.write(self.style.ERROR(f"{fault.kind}: {fault.subject}: {fault.text}"))
            self.stdout.write("clean" if ledger.clean else f"{len(ledger.faults)} fault(s)")
        if not ledger.clean:
            raise SystemExit(1)


def vars_of(fault: Any) -> dict[str, str]:
    """A fault as JSON."""
    return {"kind": fault.kind, "subject": fault.subject, "text": fault.text}
