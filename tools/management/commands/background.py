"""`manage.py background`: commands that agents left running, for operators."""

from __future__ import annotations

import argparse
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from tools.background.control import job_kill
from tools.background.job import Job
from tools.background.jobs import job_find, jobs_all
from tools.builtin.process_calls import job_details
from tools.builtin.process_words import duration, job_label, job_standing


class Command(BaseCommand):
    """Lists and kills background commands of all agents."""

    help = "Lists the commands that agents run in the background, or kills one."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """list [--json] and kill NAME."""
        actions = parser.add_subparsers(dest="action", required=True)
        listed = actions.add_parser("list", help="all of them, oldest first")
        listed.add_argument("--json", action="store_true", help="one JSON array")
        killed = actions.add_parser("kill", help="end one with all it started")
        killed.add_argument("name", help="its name, such as amber-fox")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints one line a command."""
        if options["action"] == "kill":
            self._kill(options["name"])
            return
        jobs = list(jobs_all())
        if options["json"]:
            rows = [{**job_details(job), "agent": job.spec.agent} for job in jobs]
            self.stdout.write(orjson.dumps(rows).decode())
            return
        for job in jobs:
            self.stdout.write(_line(job))
        if not jobs:
            self.stdout.write("No agent runs a command in the background.")

    def _kill(self, name: str) -> None:
        job = job_find(name)
        if job is None:
            raise CommandError(f"There is no command {name!r}; see manage.py background list.")
        was_running = job.running
        job = job_kill(job)
        if job.running:
            raise CommandError(f"{name} could not be killed; it may hang in the kernel.")
        end = "was killed" if was_running else f"had ended: {job_standing(job)}"
        self.stdout.write(f"{name} {end}.")


def _line(job: Job) -> str:
    return (
        f"{job.name}  {job.spec.agent}  {job_standing(job)}  {duration(job.seconds)}  "
        f"pid {job.state.pid}  {job_label(job)}"
    )
