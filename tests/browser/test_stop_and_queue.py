"""Stop, the queue, editing and asking again."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

SLOW = "[[tokens:300:40]]"


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    chat.streaming("tok5")

    chat.page.get_by_role("button", name="Stop", exact=True).click()

    chat.ended()
    expect(chat.feet.locator("[data-slot=stopped]")).to_be_visible()
    assert chat.picture()[-1]["text"].startswith("tok0 tok1 tok2 tok3 tok4 tok5")
    before = chat.picture()
    chat.page.reload()
    chat.connected()
    assert chat.picture() == before


def test_waiting_messages_have_a_place_and_can_be_taken_out(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    chat.streaming("tok3")
    chat.send("[[echo:first]]")
    chat.send("[[echo:second]]")
    waiting = chat.page.locator(".queue__item")
    expect(waiting).to_have_count(2)
    expect(waiting.first).to_contain_text("next")

    waiting.first.get_by_role("button").click()
    expect(waiting).to_have_count(1)
    chat.page.keyboard.press("Escape")

    chat.ended(2)
    expect(waiting).to_have_count(0)
    expect(chat.asked).to_have_count(2)
    assert chat.picture()[-1]["text"] == "second"


def test_waiting_messages_are_there_after_a_reload(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.send("[[tokens:80:40]]")
    chat.streaming("tok3")
    chat.send("[[echo:one]]")
    chat.send("[[echo:two]]")
    expect(chat.page.locator(".queue__item")).to_have_count(2)

    chat.page.reload()

    expect(chat.page.locator(".queue__item")).to_have_count(2)
    chat.ended(2)
    expect(chat.asked.last).to_contain_text("[[echo:one]]")
    expect(chat.asked.last).to_contain_text("[[echo:two]]")


def test_answer_again_replaces_the_answer(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.ask("[[echo:kept]]")
    chat.ask("[[echo:again]]")
    before = chat.picture()

    chat.feet.last.get_by_role("button", name="Answer again").click()

    chat.page.wait_for_function(
        "(id) => document.querySelector('#transcript').lastElementChild.dataset.id !== id"
        " && document.querySelectorAll('.message__foot').length === 2",
        arg=before[-1]["id"],
    )
    after = chat.picture()
    assert [message["text"] for message in after] == [message["text"] for message in before]
    assert after[:2] == before[:2]


def test_edited_message_takes_the_place_of_the_old_one(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.ask("[[echo:kept]]")
    chat.ask("[[echo:wrong]]")

    chat.field.press("ArrowUp")
    expect(chat.field).to_have_value("[[echo:wrong]]")
    expect(chat.page.locator("#editing")).to_be_visible()
    chat.send("[[echo:right]]")

    chat.ended(2)
    expect(chat.answers.last).to_contain_text("right")
    assert [m["text"] for m in chat.picture()][1::2] == ["kept", "right"]
    chat.page.reload()
    chat.connected()
    assert [m["text"] for m in chat.picture()][1::2] == ["kept", "right"]


def test_first_message_can_be_edited_too(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.ask("[[echo:wrong]]")

    chat.asked.first.hover()
    chat.asked.first.get_by_role("button", name="Edit").click()
    chat.send("[[echo:right]]")

    chat.ended()
    expect(chat.answers).to_have_count(1)
    expect(chat.answers).to_contain_text("right")


def test_a_failed_run_says_why(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.send("[[status:401]]")

    expect(chat.page.locator(".message--agent .notice--bad")).to_be_visible()
    chat.errors.clear()


def test_commands_are_answered_without_the_model(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.field.type("/sta")
    expect(chat.page.locator("#commands [role=option]")).to_have_count(1)
    chat.field.press("Enter")
    expect(chat.field).to_have_value("/status")

    chat.field.press("Enter")

    expect(chat.answers).to_contain_text("Nothing is running")
