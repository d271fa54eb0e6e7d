"""One page of a session: what it wrote to its console, and what it asked people."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agents.core.untrusted import one_line

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Dialog, Error, Page

# Lines of the console and dialogs that are kept, the newest.
_LINES = 200
_DIALOGS = 10
_LINE_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """One line; `level` is error, warning, info, log or debug."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """How the next dialog of a page is answered."""

    accept: bool
    text: str = ""


@dataclass(eq=False)
class Tab:
    """A page under the id that a model knows it by."""

    id: str
    page: Page
    label: str = ""
    console: deque[ConsoleLine] = field(default_factory=lambda: deque(maxlen=_LINES))
    dialogs: deque[str] = field(default_factory=lambda: deque(maxlen=_DIALOGS))
    answer: Answer | None = None
    # Whether the model knows of it.
    told: bool = False

    def watch(self) -> None:
        """Begins to listen to the page."""
        self.page.on("console", self._said)
        self.page.on("pageerror", self._failed)
        self.page.on("dialog", self._asked)

    def dialogs_take(self) -> list[str]:
        """What the page asked since this was called last."""
        taken = list(self.dialogs)
        self.dialogs.clear()
        return taken

    def _said(self, message: ConsoleMessage) -> None:
        self.console.append(ConsoleLine(message.type, message.text[:_LINE_CHARS]))

    def _failed(self, error: Error) -> None:
        self.console.append(ConsoleLine("error", str(error)[:_LINE_CHARS]))

    async def _asked(self, dialog: Dialog) -> None:
        from playwright.async_api import Error

        if dialog.type == "beforeunload":
            # Nobody asks whether a page may be left.
            answer = Answer(True)
        else:
            answer, self.answer = self.answer or Answer(False), None
        verb = "accepted" if answer.accept else "dismissed"
        self.dialogs.append(f"{dialog.type} {one_line(dialog.message, 300)!r}: {verb}")
        try:
            if answer.accept:
                await dialog.accept(answer.text or None)
            else:
                await dialog.dismiss()
        except Error:
            # The page went away while it asked.
            return
