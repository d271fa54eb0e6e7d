"""Questions in the browser: asked, answered here or elsewhere, by keyboard, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.approval_stage import cards, configure, injected, news, pending
from tests.browser.chat_page import ChatPage
from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page that the agent reads."""
    with news() as found:
        yield found


@pytest.fixture(scope="module")
def asking(model_gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """A gateway whose agent may read the page."""
    configure(model_gateway, tmp_path_factory.mktemp("config"))
    return model_gateway


def was_written(gateway: Gateway, name: str) -> bool:
    """Whether the agent did as the page told it."""
    file = gateway.home / "workspace" / name
    return file.exists() and file.read_text() == "obey"


def second_tab(chat: ChatPage, path: str) -> ChatPage:
    """Another tab of the same browser."""
    tab = ChatPage(chat.page.context.new_page(), chat.gateway)
    tab.page.goto(path)
    return tab


def test_it_works(asking: Gateway, open_chat: OpenChat, address: str) -> None:
    """Asked in one tab, answered in another: the first shows at once who did."""
    chat = open_chat(asking)
    chat.send(injected(address, "SOUL.md"))
    expect(pending(chat)).to_have_count(1)
    card = pending(chat)
    expect(card).to_contain_text("Use the tool write?")
    expect(card).to_contain_text("SOUL.md")
    expect(card).to_contain_text(f"web_fetch ({address})")
    expect(card.locator("[data-slot=left]")).to_contain_text("left")
    expect(chat.page.locator("#announce")).to_contain_text("Use the tool write?")
    expect(card.get_by_role("button")).to_have_text(["Allow once", "Deny"])
    call = chat.page.locator("#transcript .tool", has_text="SOUL.md").last
    expect(call.locator("[data-slot=state]")).to_have_text("waits for a decision")
    badge = chat.page.locator("[data-nav=approvals] .nav-item__count")
    expect(badge).to_have_text("1")
    assert not was_written(asking, "SOUL.md")

    chat.page.reload()
    chat.connected()
    expect(pending(chat)).to_have_count(1)
    expect(call.locator("[data-slot=state]")).to_have_text("waits for a decision")

    other = second_tab(chat, "/approvals/")
    waiting = other.page.locator(".approval[data-state=pending]", has_text=address)
    waiting.get_by_role("button", name="Deny").click()
    expect(other.page.get_by_text(re.compile("^Denied by "))).not_to_have_count(0)

    expect(cards(chat)).to_contain_text("Denied by")
    expect(pending(chat)).to_have_count(0)
    expect(badge).to_have_count(0)
    chat.ended()
    assert not was_written(asking, "SOUL.md")
    assert other.errors == []


def test_answered_by_keyboard(asking: Gateway, open_chat: OpenChat, address: str) -> None:
    """From the composer back into the card; then the focus is in the composer again."""
    chat = open_chat(asking)
    chat.send(injected(address, "BOOT.md"))
    expect(pending(chat)).to_have_count(1)
    expect(chat.field).to_be_focused()
    chat.page.keyboard.press("Shift+Tab")
    expect(pending(chat).get_by_role("button", name="Deny")).to_be_focused()
    chat.page.keyboard.press("Shift+Tab")
    expect(pending(chat).get_by_role("button", name="Allow once")).to_be_focused()
    chat.page.keyboard.press("Enter")
    expect(cards(chat)).to_contain_text("Allowed once by")
    expect(chat.field).to_be_focused()
    chat.ended()
    assert was_written(asking, "BOOT.md")

    chat.send("[[echo:thanks]]")
    expect(cards(chat)).to_have_count(0)


def test_the_list_is_fresh_and_the_run_tells(
    asking: Gateway, open_chat: OpenChat, address: str
) -> None:
    """A question shows up on an open list by itself, and goes when it was answered elsewhere."""
    chat = open_chat(asking)
    listing = second_tab(chat, "/approvals/")
    chat.send(injected(address, "HEARTBEAT.md"))
    waiting = listing.page.locator(".approval[data-state=pending]", has_text="HEARTBEAT.md")
    expect(waiting).to_have_count(1)
    listing.page.goto("/")
    expect(listing.page.get_by_text("main asks: write")).to_have_count(1)
    run = listing.page.locator(".line", has_text="waiting for a decision")
    run.get_by_role("link").click()
    expect(listing.page.get_by_role("heading", name="Use the tool write?")).to_be_visible()

    pending(chat).get_by_role("button", name="Deny").click()
    chat.ended()
    expect(listing.page.get_by_text("Asked about write")).to_be_visible()
    expect(listing.page.get_by_text("denied, owner", exact=True)).to_be_visible()
    assert listing.errors == []


def test_nobody_answers(asking: Gateway, open_chat: OpenChat, address: str, tmp_path: Path) -> None:
    """The card says that the time is over, and the turn goes on without the call."""
    configure(asking, tmp_path, seconds=3)
    try:
        chat = open_chat(asking)
        chat.send(injected(address, "IDENTITY.md"))
        expect(cards(chat)).to_contain_text("Expired: nobody answered in time")
        chat.ended()
    finally:
        configure(asking, tmp_path)


def test_other_people_see_nothing(
    asking: Gateway, open_chat: OpenChat, browser: Browser, address: str
) -> None:
    chat = open_chat(asking)
    chat.send(injected(address, "USER.md"))
    expect(pending(chat)).to_have_count(1)
    asking.manage(
        "shell",
        "-c",
        "from django.contrib.auth.models import User; from sessions.people import person_for_user;"
        "user, _ = User.objects.get_or_create(username='ben'); person_for_user(user=user)",
    )
    context = browser.new_context(base_url=asking.url)
    try:
        page = context.new_page()
        page.goto(asking.manage("signin_link", "ben").split()[-1])
        page.get_by_role("button", name="Sign in").click()
        page.goto("/approvals/")
        expect(page.get_by_text("Nothing waits for a decision.")).to_be_visible()
        expect(page.locator(".nav-item__count")).to_have_count(0)
        number = pending(chat).get_attribute("data-approval")
        answer = page.goto(f"/approvals/{number}/card/")
        assert answer is not None
        assert answer.status == 404
    finally:
        context.close()
    pending(chat).get_by_role("button", name="Deny").click()
    chat.ended()


def test_on_a_phone(asking: Gateway, open_chat: OpenChat, address: str) -> None:
    """Nothing is wider than the screen, and the buttons are large enough for a thumb."""
    chat = open_chat(asking, viewport={"width": 375, "height": 720}, has_touch=True)
    chat.send(injected(address, "TOOLS.md"))
    expect(pending(chat)).to_have_count(1)
    buttons = pending(chat).get_by_role("button")
    for number in range(buttons.count()):
        box = buttons.nth(number).bounding_box()
        assert box is not None
        assert box["height"] >= 40
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 375
    assert chat.page.evaluate("document.documentElement.scrollWidth") <= 375
    pending(chat).get_by_role("button", name="Deny").tap()
    chat.ended()


def test_two_questions_and_a_broken_connection(
    asking: Gateway, open_chat: OpenChat, address: str
) -> None:
    """What was asked and answered while the page was away is there when it is back."""
    chat = open_chat(asking)
    chat.send(injected(address, "MEMORY.md", "AGENTS.md"))
    expect(pending(chat)).to_contain_text("MEMORY.md")
    first = pending(chat).get_attribute("data-approval")
    chat.break_socket()
    asking.manage("approvals", "resolve", first or "", "deny")
    expect(pending(chat)).to_contain_text("AGENTS.md")
    pending(chat).get_by_role("button", name="Deny").click()
    chat.ended()
    assert not was_written(asking, "AGENTS.md")
