"""`manage.py skills`: what skills an agent has, and installing more after a review."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.core.errors import OpenClawError
from agents.plugins.loader import plugins_load
from agents.selectors import AgentSnapshot, agent_snapshot, default_agent_slug
from agents.skills.catalog import skills_of, skills_prompt
from agents.skills.install import skill_changed, skill_install, skill_remove
from agents.skills.package import Package, package_read


class Command(BaseCommand):
    """Lists, reviews, installs and removes."""

    help = "Lists an agent's skills with what is wrong with them; reviews, installs, removes them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The actions and what they need."""
        actions = parser.add_subparsers(dest="action", required=True)
        for name, text in (
            ("list", "every skill, and why some are not used"),
            ("prompt", "the part of the system prompt"),
        ):
            one = actions.add_parser(name, help=text)
            one.add_argument("--agent", default="", help="the agent; the default one if left out")
        review = actions.add_parser("review", help="shows every file of a folder, zip or git URL")
        review.add_argument("source")
        install = actions.add_parser("install", help="installs what was reviewed")
        install.add_argument("source")
        install.add_argument("--hash", required=True, help="the hash that the review printed")
        install.add_argument("--replace", action="store_true", help="in place of an older one")
        remove = actions.add_parser("remove", help="removes an installed skill")
        remove.add_argument("name")
        for one in (install, remove):
            one.add_argument("--agent", default="", help="in this agent's workspace only")

    def handle(self, *args: Any, **options: Any) -> None:
        """Carries out one action."""
        # They bring skills, too.
        plugins_load()
        try:
            getattr(self, f"_{options['action']}")(options)
        except OpenClawError as error:
            raise CommandError(error.message) from error

    def _list(self, options: dict[str, Any]) -> None:
        found = skills_of(_agent(options))
        for skill in found.skills:
            changed = " [changed since it was reviewed]" if skill_changed(skill.folder) else ""
            self.stdout.write(
                f"{skill.name} ({skill.source}){changed}: {skill.document.description}"
            )
            for note in skill.document.notes:
                self.stdout.write(f"  note: {note}")
        for refused in found.refused:
            self.stdout.write(f"not used: {refused.name} ({refused.source}): {refused.reason}")
            self.stdout.write(f"  {refused.file}")

    def _prompt(self, options: dict[str, Any]) -> None:
        self.stdout.write(skills_prompt(_agent(options)))

    def _review(self, options: dict[str, Any]) -> None:
        package = package_read(options["source"])
        self.stdout.write(f"{package.document.name}: {package.document.description}")
        for note in package.document.notes:
            self.stdout.write(f"note: {note}")
        for name, data in package.files.items():
            self.stdout.write(f"--- {name} ({len(data)} bytes)")
            self.stdout.write(_shown(data))
        self._tell(package)

    def _install(self, options: dict[str, Any]) -> None:
        package = package_read(options["source"])
        folder = skill_install(
            package=package,
            digest=options["hash"],
            target=_target(options),
            replace=options["replace"],
        )
        self.stdout.write(f"Installed {package.document.name} in {folder}.")

    def _remove(self, options: dict[str, Any]) -> None:
        skill_remove(name=options["name"], target=_target(options))
        self.stdout.write(f"Removed {options['name']}.")

    def _tell(self, package: Package) -> None:
        if package.commit:
            self.stdout.write(f"commit {package.commit}")
        self.stdout.write(f"hash {package.digest}")
        self.stdout.write("Nothing was executed. To install exactly this:")
        self.stdout.write(f"  manage.py skills install {package.source} --hash {package.digest}")


def _agent(options: dict[str, Any]) -> AgentSnapshot:
    return agent_snapshot(slug=options["agent"] or default_agent_slug())


def _target(options: dict[str, Any]) -> Path:
    if options["agent"]:
        return _agent(options).workspace / "skills"
    return Path(settings.OPENCLAW.home) / "skills"


def _shown(data: bytes) -> str:
    """The file as it is, control characters made visible."""
    if b"\0" in data:
        return "(binary)"
    text = data.decode("utf-8", errors="backslashreplace")
    return "".join(c if c in "\n\t" or c.isprintable() else repr(c)[1:-1] for c in text)
