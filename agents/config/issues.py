"""What is wrong with a configuration document, or worth knowing about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from agents.config.paths import Path, path_text
from agents.core.errors import UserError


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding. `path` is empty when it concerns the whole document; `line` counts from 1."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = [_("line %(line)d") % {"line": self.line}] if self.line else []
        return ": ".join([*where, *([self.path] if self.path else []), self.message])

    def as_dict(self) -> dict[str, Any]:
        """The form that programs get."""
        return {"path": self.path, "message": self.message, "line": self.line}


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """The outcome of looking at a document, or of applying it.

    `document` is the configuration with secrets replaced. `changed` is true when rows were
    written; `revision` is then the number under which the configuration before is kept.
    """

    errors: Sequence[Issue] = ()
    warnings: Sequence[Issue] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    changed: bool = False
    revision: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the document can be applied."""
        return not self.errors


class ConfigInvalid(UserError):
    """A document that cannot be applied. `report` has every finding."""

    code = "invalid_config"

    def __init__(self, errors: Sequence[Issue], warnings: Sequence[Issue] = ()) -> None:
        self.report = ConfigReport(errors=tuple(errors), warnings=tuple(warnings))
        super().__init__(
            "\n".join(str(issue) for issue in errors),
            details={"issues": [issue.as_dict() for issue in errors]},
        )


class Findings:
    """Collects issues while a document is looked at, and knows on which line each path is.

    `lines` is set by the parser; a path that is not in it gets the line of its nearest parent.
    `moved` maps the beginnings of paths that were rewritten to where they stand in the text.
    """

    def __init__(self) -> None:
        self.errors: list[Issue] = []
        self.warnings: list[Issue] = []
        self.kept: list[str] = []
        self.moved: dict[Path, Path] = {}
        self.lines: Mapping[Path, int] = {}

    def error(self, path: Path, message: str) -> None:
        """Notes that the document cannot be applied; a second problem in one place is left out."""
        issue = self._issue(path, message)
        if not issue.path or issue.path not in {known.path for known in self.errors}:
            self.errors.append(issue)

    def error_at(self, line: int | None, message: str, path: Path = ()) -> None:
        """Notes an error whose line the parser told."""
        self.errors.append(Issue(path=path_text(path), message=message, line=line))

    def warn(self, path: Path, message: str) -> None:
        """Notes something that people should know and that stops nothing."""
        self.warnings.append(self._issue(path, message))

    def keep(self, path: Path) -> None:
        """Notes a key that has no effect in this version and is kept word for word."""
        self.kept.append(path_text(self._source(path)))

    def finish(self) -> tuple[list[Issue], list[Issue]]:
        """Errors and warnings; all keys without effect are named in one warning, the first."""
        if not self.kept:
            return self.errors, self.warnings
        text = _("kept, but without effect in this version: %(keys)s")
        return self.errors, [Issue("", text % {"keys": ", ".join(self.kept)}), *self.warnings]

    def _issue(self, path: Path, message: str) -> Issue:
        source = self._source(path)
        parents = (source[:length] for length in range(len(source), 0, -1))
        line = next((self.lines[parent] for parent in parents if parent in self.lines), None)
        return Issue(path=path_text(source), message=message, line=line)

    def _source(self, path: Path) -> Path:
        for length in range(len(path), 0, -1):
            if path[:length] in self.moved:
                return self.moved[path[:length]] + path[length:]
        return path
