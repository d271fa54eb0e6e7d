"""The pickers below the field: model, thinking, the switch for reasoning; and what they change."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser


def think(chat: ChatPage) -> Locator:
    return chat.page.locator("#think-select")


def switch(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("button", name="Show the reasoning")


def thought(chat: ChatPage) -> Locator:
    return chat.page.locator(".message--agent .thought")


def test_it_works(thinking_gateway: Gateway, open_chat: OpenChat) -> None:
    """A level is chosen, kept over a reload, and what the model is asked for."""
    chat = open_chat(thinking_gateway)
    expect(think(chat).locator("option")).to_have_text(
        [f"think: {level}" for level in ("off", "minimal", "low", "medium", "high")]
    )

    think(chat).select_option("high")
    chat.ask("/think")
    expect(chat.answers.last).to_contain_text("Thinking: high.")
    chat.page.reload()
    chat.connected()

    expect(think(chat)).to_have_value("high")


def test_a_model_that_cannot_think_has_no_picker(
    thinking_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(thinking_gateway)
    expect(think(chat)).to_be_visible()

    chat.page.locator("#model-select").select_option("openai/plain")

    expect(think(chat)).to_be_hidden()
    chat.page.locator("#model-select").select_option("")
    expect(think(chat)).to_be_visible()


def test_reasoning_is_seen_only_when_asked_for(
    thinking_gateway: Gateway, open_chat: OpenChat
) -> None:
    """Also reasoning that a model writes between tags. The run page shows it in any case."""
    chat = open_chat(thinking_gateway)
    chat.ask("[[think:a plan]] [[echo:first]]")
    chat.ask("[[echo:<think>a plan</think>second]]")
    expect(chat.answers.last).to_contain_text("second")
    expect(thought(chat).filter(visible=True)).to_have_count(0)
    said = " ".join(chat.page.locator(".message--agent").all_inner_texts())
    assert "plan" not in said
    assert "<think" not in said

    expect(switch(chat)).to_have_attribute("aria-pressed", "false")
    switch(chat).click()
    expect(switch(chat)).to_have_attribute("aria-pressed", "true")
    chat.ask("[[think:a plan]] [[echo:third]]")

    expect(thought(chat).last).to_be_visible()
    thought(chat).last.locator("summary").click()
    expect(thought(chat).last).to_contain_text("a plan")
    chat.page.reload()
    expect(thought(chat).filter(visible=True)).to_have_count(3)


def test_another_window_follows(thinking_gateway: Gateway, open_chat: OpenChat) -> None:
    """A command in one window moves the pickers of the other."""
    chat = open_chat(thinking_gateway)
    other = open_chat(thinking_gateway)
    other.page.goto(unquote(chat.page.url))
    other.connected()

    chat.ask("/think low /reasoning stream")

    expect(think(other)).to_have_value("low")
    expect(switch(other)).to_have_attribute("aria-pressed", "true")


def test_verbosity_and_trace(thinking_gateway: Gateway, open_chat: OpenChat) -> None:
    """Cards are one line, one with a summary, or open; the trace stands below the answer."""
    chat = open_chat(thinking_gateway)
    call = '[[tool:exec {"command": "echo out of the tool"}]] [[final:done]]'
    card = chat.page.locator(".message--agent .tool").last
    chat.ask(call)
    expect(card.get_by_text("out of the tool").filter(visible=True)).to_have_count(1)

    chat.ask("/verbose on /trace on")
    chat.send(call)
    chat.ended(2)
    expect(card.locator(".tool__summary")).to_be_visible()
    foot = chat.page.locator(".message__trace").filter(visible=True).last
    expect(foot).to_have_text(re.compile(r"^run \w+ · openai/scripted · env:openai · .* s$"))

    chat.ask("/verbose full")
    chat.send(call)
    chat.ended(3)
    expect(card.locator("[data-slot=result]")).to_be_visible()


def test_the_list_of_commands(thinking_gateway: Gateway, open_chat: OpenChat) -> None:
    """Names first; the choices of one behind its blank."""
    chat = open_chat(thinking_gateway)
    rows = chat.page.locator("#commands [role=option] code")
    chat.field.type("/rea")
    expect(rows).to_have_text(["/reasoning"])
    chat.field.fill("/reasoning ")
    expect(rows).to_have_text(["/reasoning off", "/reasoning on", "/reasoning stream"])
