"""Older messages are summarised while somebody looks, and stay readable."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

LONG = "word " * 600


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    for number in range(4):
        chat.ask(f"[[echo:answer {number}]] {LONG}")
    meter = chat.page.locator("#context")
    expect(meter).to_have_text(re.compile(r"context \S+ of \S+"))

    chat.send("/compact [[delay:1500]] [[echo:what was said]]")
    expect(chat.page.get_by_text("Summarising the earlier conversation")).to_be_visible()
    divider = chat.page.locator(".message--divider")
    expect(divider).to_have_count(1)
    expect(divider).to_contain_text("Earlier part summarised")
    expect(chat.page.get_by_text(re.compile(r"Compacted \("))).to_be_visible()
    expect(chat.page.get_by_text("Summarising the earlier conversation")).to_have_count(0)

    divider.locator("summary").click()
    expect(divider.locator(".message__summary")).to_contain_text("what was said")
    expect(chat.page.get_by_text("answer 0", exact=True)).to_be_visible()

    chat.send("[[echo:and on]]")
    expect(chat.page.get_by_text("and on", exact=True)).to_be_visible()
    chat.ended(5)
    chat.page.reload()
    chat.connected()
    expect(chat.page.locator(".message--divider")).to_have_count(1)
    expect(chat.answers).to_have_count(5)
    assert chat.errors == []
