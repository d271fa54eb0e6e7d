"""`manage.py runs`: what agents did, newest first."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from agents.admin.wording import UNKNOWN, money
from sessions.budgets.wording import tokens_text
from sessions.models import Run
from sessions.people import owner_ensure
from sessions.run_selectors import runs_list


def _spent(run: Run) -> str:
    """Tokens of all kinds, and the money where the price is known."""
    tokens = run.input_tokens + run.output_tokens + run.cache_read_tokens + run.cache_write_tokens
    cost = money(run.cost) if run.cost_known else _("price unknown") if tokens else UNKNOWN
    return f"{tokens_text(tokens)}  {cost}"


class Command(BaseCommand):
    help = "Lists runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", default="")
        parser.add_argument("--session", default="", help="session key")
        parser.add_argument("--state", default="", help="running, parked, final, error or aborted")
        parser.add_argument("--limit", type=int, default=20)

    def handle(self, *args: Any, **options: Any) -> None:
        found = runs_list(
            principal=owner_ensure().principal(),
            agent=options["agent"],
            session=options["session"],
            state=options["state"],
            limit=options["limit"],
        )
        for run in found:
            took = (run.ended_at - run.started_at).total_seconds() if run.ended_at else None
            seconds = f"{took:.1f} s" if took is not None else "\u2013"
            state = run.outcome or run.state
            started = f"{run.started_at:%Y-%m-%d %H:%M:%S}"
            self.stdout.write(
                f"{started}  {run.pk}  {state:8} {seconds:>8} {_spent(run):>32}  {run.preview}"
            )
            if run.error_message:
                self.stdout.write(f"    {run.error_message}")
        if not found:
            self.stdout.write(_("No run yet."))
