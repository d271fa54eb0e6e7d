"""`manage.py sandbox`: the containers that agents work in, for operators."""

from __future__ import annotations

import argparse
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from agents.core.errors import OpenClawError
from agents.selectors import default_agent_slug
from tools.models import SandboxContainer
from tools.sandbox.explain import explain_lines, sandbox_explain
from tools.sandbox.prune import container_remove


class Command(BaseCommand):
    """Lists and removes containers, and explains which one a session gets."""

    help = "Lists the containers of sandboxes, has them made anew, or explains a session's."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """list, recreate and explain, each with --agent and --session."""
        actions = parser.add_subparsers(dest="action", required=True)
        listed = actions.add_parser("list", help="those that this gateway made")
        again = actions.add_parser("recreate", help="remove them; the next use makes them anew")
        again.add_argument("--all", action="store_true", help="every one")
        explained = actions.add_parser("explain", help="which sandbox a session gets, and why")
        for one in (listed, again, explained):
            one.add_argument("--agent", default="", help="of this agent")
            one.add_argument("--session", default="", help="of this session key")
        for one in (listed, explained):
            one.add_argument("--json", action="store_true", help="as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints what was found or done."""
        try:
            {"list": self._list, "recreate": self._recreate, "explain": self._explain}[
                options["action"]
            ](options)
        except OpenClawError as error:
            raise CommandError(error.message) from None

    def _list(self, options: dict[str, Any]) -> None:
        rows = list(_chosen(options))
        if options["json"]:
            self.stdout.write(orjson.dumps([_facts(row) for row in rows]).decode())
            return
        for row in rows:
            facts = _facts(row)
            self.stdout.write("  ".join(str(value) for value in facts.values()))
        if not rows:
            self.stdout.write("There are no containers.")

    def _recreate(self, options: dict[str, Any]) -> None:
        if not (options["agent"] or options["session"] or options["all"]):
            raise CommandError("Say which: --agent, --session or --all.")
        rows = list(_chosen(options))
        for row in rows:
            done = container_remove(row.name)
            what = "removed; the next use makes it anew" if done else "is in use or gone; left"
            self.stdout.write(f"{row.name} {what}.")
        if not rows:
            self.stdout.write("There are no such containers.")

    def _explain(self, options: dict[str, Any]) -> None:
        facts = _explained(options)
        if options["json"]:
            self.stdout.write(orjson.dumps(facts).decode())
            return
        for line in explain_lines(facts):
            self.stdout.write(line)


def _chosen(options: dict[str, Any]) -> QuerySet[SandboxContainer]:
    rows = SandboxContainer.objects.all()
    if options["agent"]:
        rows = rows.filter(agent_slug=options["agent"])
    if options["session"]:
        rows = rows.filter(name=_explained(options).get("container", ""))
    return rows


def _explained(options: dict[str, Any]) -> dict[str, Any]:
    session = options["session"]
    named = session.split(":")[1] if session.startswith("agent:") else ""
    agent = options["agent"] or named or default_agent_slug()
    return sandbox_explain(agent=agent, session_key=session or f"agent:{agent}:main")


def _facts(row: SandboxContainer) -> dict[str, Any]:
    return {
        "name": row.name,
        "scope": row.scope_key,
        "image": row.image,
        "created": row.created_at.isoformat(timespec="seconds"),
        "lastUsed": row.last_used_at.isoformat(timespec="seconds"),
    }
