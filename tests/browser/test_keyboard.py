"""Everything without a mouse, and what a screen reader hears."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser


def focused(page: Page) -> str:
    found: str = page.evaluate(
        "(({ id, className, tagName }) => id || className || tagName)(document.activeElement)"
    )
    return found


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    """Open, send, stop, switch the session: keys only."""
    chat = open_chat(model_gateway)
    first = chat.page.url
    assert focused(chat.page) == "composer-text"
    chat.page.keyboard.type("[[tokens:300:40]]")
    chat.page.keyboard.press("Enter")
    chat.streaming("tok3")
    chat.page.keyboard.press("Escape")
    chat.ended()
    assert focused(chat.page) == "composer-text"

    chat.page.keyboard.press("Control+k")
    chat.page.keyboard.type("new session")
    expect(chat.page.locator("#palette [aria-selected=true]")).to_contain_text("New session")
    chat.page.keyboard.press("Enter")
    chat.page.wait_for_url(lambda url: url != first and ":web:" in url)
    chat.connected()

    chat.page.keyboard.press("Control+k")
    chat.page.keyboard.type("tokens:300")
    expect(chat.page.locator("#palette [aria-selected=true]")).to_contain_text("tokens:300")
    chat.page.keyboard.press("Enter")
    chat.page.wait_for_url(first)


def test_enter_belongs_to_the_input_method(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.field.fill("にほん")

    chat.field.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "keyCode": 229})

    expect(chat.field).to_have_value("にほん")
    chat.field.press("Shift+Enter")
    expect(chat.field).to_have_value("にほん\n")


def test_letters_move_only_outside_fields(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.page.keyboard.type("gr?")
    expect(chat.field).to_have_value("gr?")
    chat.field.fill("")
    chat.field.blur()

    chat.page.keyboard.type("?")
    expect(chat.page.locator("#shortcuts")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.page.locator("#shortcuts")).to_be_hidden()

    chat.page.keyboard.type("/")
    assert focused(chat.page) == "composer-text"
    chat.field.blur()
    chat.page.keyboard.type("gr")
    chat.page.wait_for_url("**/runs/")


def test_a_screen_reader_hears_the_beginning_and_the_end(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    log = chat.page.locator("#transcript")
    spoken = chat.page.locator("#announce")
    expect(log).to_have_attribute("role", "log")
    chat.send("[[tokens:40:40]]")

    expect(spoken).to_have_text("The agent is answering")
    expect(log).to_have_attribute("aria-busy", "true")
    expect(spoken).to_have_text("The answer is complete")
    expect(log).to_have_attribute("aria-busy", "false")
    expect(chat.page.get_by_role("article", name="You")).to_have_count(1)
    expect(chat.page.get_by_role("article", name="Agent")).to_have_count(1)


def test_every_control_has_a_name_and_is_large_enough(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.ask('[[tool:exec {"command": "echo hi"}]]')

    faults = chat.page.evaluate(
        """() => [...document.querySelectorAll("button, a[href], select, textarea, summary")]
          .filter((e) => e.checkVisibility() && e.getBoundingClientRect().width)
          .filter((e) => {
            const box = e.getBoundingClientRect();
            const name = e.getAttribute("aria-label") || e.innerText.trim() || e.labels?.length;
            const isInText = e.matches(".message__foot a, .prose a, .skip, .rehearsal summary");
            return !name || (!isInText && (box.height < 24 || box.width < 24));
          })
          .map((e) => e.outerHTML.slice(0, 120))"""
    )

    assert faults == []
