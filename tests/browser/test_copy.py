"""Answers and their code go to the clipboard as they were written."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

ANSWER = "**Bold** and\n\n```sh\nls -l\n```"


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.ask(f"[[echo:{ANSWER}]]")
    chat.feet.last.hover()

    chat.feet.last.get_by_role("button", name="Copy").click()
    chat.page.wait_for_function(
        "async (text) => (await navigator.clipboard.readText()).trim() === text", arg=ANSWER
    )

    chat.answers.last.locator(".code").get_by_role("button", name="Copy").click()
    chat.page.wait_for_function(
        "async () => (await navigator.clipboard.readText()).trim() === 'ls -l'"
    )
