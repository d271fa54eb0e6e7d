"""The chat page as a person uses it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from tests.platform.gateway import Gateway

PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)
# A lost connection is part of some tests and not of our making.
_EXPECTED = re.compile(
    r"WebSocket connection to|ERR_CONNECTION_REFUSED|Failed to load resource: net::"
)


class ChatPage:
    """One tab. `errors` are console errors, `foreign` addresses that are not the gateway's."""

    def __init__(self, page: Page, gateway: Gateway) -> None:
        self.page = page
        self.gateway = gateway
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _EXPECTED.search(message.text):
            self.errors.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.gateway.url, "data:", "blob:")):
            self.foreign.append(request.url)

    def new_session(self) -> None:
        """Starts a conversation of its own and waits until the page is connected."""
        self.page.get_by_role("button", name="New session").filter(visible=True).last.click()
        self.page.wait_for_url(re.compile(r":web:[^/]+/$"))
        self.connected()

    def connected(self) -> None:
        """Waits for the socket."""
        self.page.wait_for_selector("body[data-connection=open]", state="attached")

    @property
    def field(self) -> Locator:
        """The composer's field."""
        return self.page.locator("#composer-text")

    @property
    def answers(self) -> Locator:
        """The agent's messages."""
        return self.page.locator("#transcript .message--agent")

    @property
    def asked(self) -> Locator:
        """The person's messages."""
        return self.page.locator("#transcript .message--user")

    @property
    def feet(self) -> Locator:
        """The line below each ended turn."""
        return self.page.locator("#transcript .message__foot")

    def send(self, text: str) -> None:
        """Types and presses Enter."""
        self.field.fill(text)
        self.field.press("Enter")

    def ask(self, text: str) -> None:
        """Sends and waits until one more turn has ended."""
        before = self.feet.count()
        self.send(text)
        expect(self.feet).to_have_count(before + 1)

    def streaming(self, text: str) -> None:
        """Waits until the live answer holds `text`."""
        expect(self.page.locator(".message--live .prose")).to_contain_text(text)

    def ended(self, turns: int = 1) -> None:
        """Waits until so many turns have ended and nothing runs."""
        expect(self.feet).to_have_count(turns)
        expect(self.page.locator("#transcript")).to_have_attribute("aria-busy", "false")

    def break_socket(self) -> None:
        """The connection is lost, as by a bad network."""
        self.page.evaluate("window.sockets.at(-1).close()")

    def picture(self) -> list[dict[str, Any]]:
        """What the transcript shows, message by message, without what depends on the moment."""
        found: list[dict[str, Any]] = self.page.locator("#transcript > .message").evaluate_all(
            """(all) => all.map((m) => ({
              id: m.dataset.id,
              kind: m.className.replace(/message(?!--)\\S*/, "").trim(),
              text: (m.querySelector(".message__text, .prose")?.textContent ?? "").trim(),
              cards: [...m.querySelectorAll(".tool")].map((t) => t.className + t.innerText
                .replace(/\\d+ ms|\\d+\\.\\d s/, "")),
              foot: (m.querySelector(".message__foot")?.innerText ?? "").replace(/\\s+/g, " ")
                .replace(/\\d+ ms|\\d+\\.\\d s/, ""),
            }))"""
        )
        return found
