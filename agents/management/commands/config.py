"""manage.py config: show, check, apply and take back the configuration document."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from agents.config.issues import ConfigInvalid, ConfigReport, Issue
from agents.config.selectors import config_get
from agents.config.services import config_apply, config_rollback, config_validate
from agents.core.errors import UserError

# Exit codes: 1 says that the answer is no, 2 that the question could not be asked.
_REFUSED = 1
_UNREADABLE = 2


class Command(BaseCommand):
    """A door: parses, calls one service, prints."""

    help = "Show, check, apply or take back the configuration document (JSON5 or YAML)."

    def add_arguments(self, parser: CommandParser) -> None:
        """One subcommand per thing that can be done."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        get = commands.add_parser("get", help="print the configuration, or one place in it")
        get.add_argument("path", nargs="?", default="", metavar="PATH")
        for name, text in (
            ("validate", "say what is wrong with a document; writes nothing"),
            ("apply", "make a document the configuration"),
        ):
            command = commands.add_parser(name, help=text)
            command.add_argument("file", metavar="FILE", help="a file, or - for standard input")
        rollback = commands.add_parser("rollback", help="go back to the configuration before")
        rollback.add_argument("revision", nargs="?", type=int, metavar="NUMBER")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Runs the subcommand; warnings and errors go to standard error."""
        try:
            getattr(self, f"_{options['action']}")(options)
        except ConfigInvalid as error:
            self._print_issues(_("Warning"), error.report.warnings)
            self._refuse(error.report.errors)
        except UserError as error:
            raise CommandError(error.message, returncode=_REFUSED) from error

    def _get(self, options: dict[str, Any]) -> None:
        value = config_get(path=options["path"])
        self.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())

    def _validate(self, options: dict[str, Any]) -> None:
        report = config_validate(text=self._read(options["file"]))
        self._print_issues(_("Warning"), report.warnings)
        if report.errors:
            self._refuse(report.errors)
        self.stdout.write(_("The document is valid."))

    def _apply(self, options: dict[str, Any]) -> None:
        report = config_apply(text=self._read(options["file"]), author=_author())
        self._report(report, _("Applied."))

    def _rollback(self, options: dict[str, Any]) -> None:
        report = config_rollback(revision=options["revision"], author=_author())
        self._report(report, _("Went back."))

    def _report(self, report: ConfigReport, done: str) -> None:
        self._print_issues(_("Warning"), report.warnings)
        if not report.changed:
            self.stdout.write(_("Nothing changed."))
            return
        text = _("The configuration before is kept as number %(number)d.")
        self.stdout.write(f"{done} {text % {'number': report.revision}}")

    def _read(self, name: str) -> bytes:
        try:
            return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            text = _("%(file)s cannot be read: %(reason)s")
            values = {"file": name, "reason": error.strerror}
            raise CommandError(text % values, returncode=_UNREADABLE) from error

    def _print_issues(self, label: str, issues: tuple[Issue, ...] | Any) -> None:
        for issue in issues:
            self.stderr.write(f"{label}: {issue}", self.style.WARNING)

    def _refuse(self, errors: tuple[Issue, ...] | Any) -> None:
        for issue in errors:
            self.stderr.write(f"{_('Error')}: {issue}")
        raise CommandError(_("The document was not accepted."), returncode=_REFUSED)


def _author() -> str:
    try:
        return getpass.getuser()[:64]
    except (OSError, KeyError):
        return ""
