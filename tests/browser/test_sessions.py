"""The sessions at the left, and files beside a message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

# One red pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


def menu(chat: ChatPage, name: str, item: str) -> None:
    line = chat.page.locator(".session-row", has_text=name)
    line.hover()
    line.locator("summary").click()
    line.get_by_role("button", name=item).click()


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    """New, named by its first message, renamed, found, deleted."""
    chat = open_chat(model_gateway)
    chat.ask("[[echo:yes]] plan the garden")
    line = chat.page.locator(".session-row--current")
    expect(line).to_contain_text("plan the garden")
    expect(chat.page.locator("#chat-title")).to_contain_text("plan the garden")

    menu(chat, "plan the garden", "Rename")
    chat.page.get_by_role("textbox", name="Name").fill("Garden")
    chat.page.get_by_role("button", name="Rename").last.click()
    expect(line).to_have_text(re.compile("Garden"))

    chat.new_session()
    chat.page.locator("#session-search").fill("plan the")
    hits = chat.page.locator(".session-row__link--hit")
    expect(hits).to_have_count(1)
    hits.click()
    chat.connected()
    expect(chat.page.locator(".message:target")).to_contain_text("plan the garden")

    menu(chat, "Garden", "Delete")
    expect(chat.page.locator("#delete")).to_contain_text("Garden")
    chat.page.get_by_role("button", name="Delete the session").click()
    expect(chat.page.get_by_text("The session is deleted.")).to_be_visible()
    expect(chat.page.locator(".session-row", has_text="Garden")).to_have_count(0)


def test_the_list_follows_what_happens_elsewhere(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    other = ChatPage(chat.page.context.new_page(), model_gateway)
    other.page.goto(chat.page.url)
    other.new_session()

    other.ask("[[echo:x]] from another tab")

    expect(chat.page.locator(".session-row", has_text="from another tab")).to_be_visible()


def test_the_model_can_be_chosen(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    chat.page.get_by_label("Model").select_option("rehearsal/rehearsal")
    chat.ask("What can you do?")

    expect(chat.feet).to_contain_text("rehearsal")
    chat.page.reload()
    expect(chat.page.get_by_label("Model")).to_have_value("rehearsal/rehearsal")
    expect(chat.page.locator(".rehearsal")).to_be_visible()


def test_files_are_chosen_dropped_and_sent(
    model_gateway: Gateway, open_chat: OpenChat, tmp_path: Path
) -> None:
    chat = open_chat(model_gateway)
    image, notes = tmp_path / "dot.png", tmp_path / "notes.txt"
    image.write_bytes(PNG)
    notes.write_text("buy milk")
    chat.page.locator("#composer-file").set_input_files([image, notes])
    files = chat.page.locator(".composer__file:not(.is-uploading)")
    expect(files).to_have_count(2)
    files.last.get_by_role("button").click()
    expect(files).to_have_count(1)
    drop = chat.page.evaluate_handle(
        """() => { const data = new DataTransfer();
          data.items.add(new File(["dropped words"], "dropped.txt", {type: "text/plain"}));
          return data; }"""
    )
    chat.page.dispatch_event("#composer", "drop", {"dataTransfer": drop})
    expect(files).to_have_count(2)

    chat.ask("[[echo:seen]]")

    expect(chat.asked.locator("img")).to_have_count(1)
    before = chat.picture()
    chat.page.reload()
    chat.connected()
    assert chat.picture() == before
    expect(chat.asked.get_by_text("dropped.txt")).to_be_visible()
    width = chat.asked.locator("img").evaluate("(image) => image.naturalWidth")
    assert width == 1


def test_a_file_that_is_too_large_is_refused_at_once(
    model_gateway: Gateway, open_chat: OpenChat, tmp_path: Path
) -> None:
    chat = open_chat(model_gateway)
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(21 * 1024 * 1024)

    chat.page.locator("#composer-file").set_input_files(large)

    expect(chat.page.locator("#toasts")).to_contain_text("large.bin is too large")
