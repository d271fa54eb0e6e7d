"""The same picture after a reload, in a second tab, and after the connection was lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

SLOW = "[[tokens:60:40]]"
WHOLE = " ".join(f"tok{number}" for number in range(60))


def answered(chat: ChatPage) -> None:
    """The one answer of a slow turn stands there whole and once."""
    chat.ended()
    expect(chat.answers).to_have_count(1)
    assert chat.picture()[-1]["text"] == WHOLE
    assert len(chat.picture()) == 2


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.ask("[[echo:hello there]]")
    before = chat.picture()

    chat.page.reload()
    chat.connected()

    assert chat.picture() == before


def test_reload_in_mid_answer(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    chat.streaming("tok10")

    chat.page.reload()

    chat.streaming("tok20")
    assert chat.page.locator(".message--live").inner_text().startswith("tok0 tok1 tok2")
    answered(chat)


def test_second_tab_in_mid_answer(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    chat.streaming("tok10")

    other = ChatPage(chat.page.context.new_page(), model_gateway)
    other.page.goto(chat.page.url)

    answered(other)
    answered(chat)
    assert other.picture() == chat.picture()
    assert other.errors == []


def test_tools_look_the_same_after_a_reload(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.ask('[[tool:exec {"command": "echo one"}]] [[tool:exec {"command": "exit 3"}]]')
    before = chat.picture()

    chat.page.reload()
    chat.connected()

    assert chat.picture() == before
    assert [card for message in before for card in message["cards"]]


def test_lost_socket_heals_without_loss_or_doubles(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    for word in ("tok8", "tok20", "tok35"):
        chat.streaming(word)
        chat.break_socket()

    answered(chat)


def test_killed_web_process_heals_too(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.send(SLOW)
    chat.streaming("tok8")

    model_gateway.kill_child("web")

    answered(chat)


def test_message_sent_without_a_connection_arrives_once(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.page.context.set_offline(True)
    chat.break_socket()
    chat.page.wait_for_selector("body[data-connection=lost]", state="attached")
    chat.send("[[echo:after the break]]")
    expect(chat.page.locator(".message--pending")).to_have_count(1)

    chat.page.context.set_offline(False)

    chat.ended()
    expect(chat.asked).to_have_count(1)
    assert chat.picture()[-1]["text"] == "after the break"


def test_unconfirmed_message_survives_a_reload(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    # The frame is lost on its way: the page never hears that it was taken.
    chat.page.evaluate("window.sockets.at(-1).send = () => {}")
    chat.send("[[echo:still here]]")
    expect(chat.page.locator(".message--pending")).to_have_count(1)

    chat.page.reload()

    chat.ended()
    expect(chat.asked).to_have_count(1)
    assert chat.picture()[-1]["text"] == "still here"
