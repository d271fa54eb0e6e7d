"""A real Chromium on a real gateway."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Cookie, Page, sync_playwright

from tests.browser.chat_page import ChatPage
from tests.platform.gateway import Gateway

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# What a slow, shared machine may need for one step; nothing waits longer than it must.
PATIENCE_MS = 20_000

# Keeps each WebSocket within reach of a test, so that it can break the connection.
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...args) { super(...args); window.sockets.push(this); }
};
"""

OpenChat = Callable[..., ChatPage]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; each gets a profile of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


# Cookies of each gateway's owner: one sign-in serves all tests of a gateway.
_signed_in: dict[Path, list[Cookie]] = {}


def sign_in(context: BrowserContext, gateway: Gateway) -> Page:
    """A page of the gateway's owner, signed in by the link that the gateway printed."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    if gateway.home in _signed_in:
        context.add_cookies(_signed_in[gateway.home])  # type: ignore[arg-type]
        page.goto(f"{gateway.url}/chat/")
    else:
        page.goto(gateway.sign_in_link or gateway.manage("signin_link").split()[-1])
        page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/chat/**")
    _signed_in[gateway.home] = context.cookies()
    return page


@pytest.fixture
def open_chat(browser: Browser) -> Iterator[OpenChat]:
    """Opens a fresh conversation of a gateway's owner; console errors fail the test."""
    contexts: list[BrowserContext] = []
    chats: list[ChatPage] = []

    def make(gateway: Gateway, **options: object) -> ChatPage:
        options = {"viewport": {"width": 1280, "height": 860}, **options}
        context = browser.new_context(base_url=gateway.url, **options)  # type: ignore[arg-type]
        context.add_init_script(KEEP_SOCKETS)
        contexts.append(context)
        chat = ChatPage(sign_in(context, gateway), gateway)
        chats.append(chat)
        chat.new_session()
        return chat

    yield make
    for context in contexts:
        context.close()
    assert [error for chat in chats for error in chat.errors] == []
