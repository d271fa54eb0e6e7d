"""One top-level key of the configuration document: its model, and where its rows are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from agents.config.documents import document_store, documents
from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.schema import Strict

M = TypeVar("M", bound=Strict)

Document = dict[str, Any]


class Section(Generic[M]):
    """A section that is kept as a whole in one ConfigSection row.

    Sections with tables of their own override `load`, `dump` and, when their rows are no part
    of the typed settings, `settings`. Documents here hold secrets openly and ${REFERENCES}
    unreplaced; `typed` is the same content, replaced and validated.
    """

    def __init__(self, name: str, model: type[M]) -> None:
        self.name = name
        self.model = model

    def normalise(self, document: Document, findings: Findings) -> Document:
        """`document` with its short forms written out. Notes what cannot be understood."""
        return document

    def check(self, typed: M, findings: Findings) -> None:
        """Notes what the model cannot see: contradictions, dangers, things without effect.

        Paths start with the section's name.
        """

    def check_whole(
        self, sections: Mapping[str, Strict], document: Document, findings: Findings
    ) -> None:
        """Notes what shows only together with other sections.

        Called for every registered section, also one that the document leaves out. `sections`
        has those that are valid, `document` is the whole text with references unreplaced.
        """

    def load(self, document: Document | None, typed: M, findings: Findings) -> None:
        """Makes the rows agree with `document`; None means that the section is absent.

        Runs inside a write transaction.
        """
        document_store(name=self.name, document=document)

    def dump(self) -> Document | None:
        """The section as the rows have it, or None when there is nothing to tell."""
        return documents().get(self.name)

    def settings(self) -> Document:
        """The part of `dump` that `agents.config.selectors.section` gives typed."""
        return self.dump() or {}

    def path(self, *steps: str | int) -> Path:
        """A path inside this section."""
        return (self.name, *steps)
