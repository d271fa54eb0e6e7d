"""Every page at every size, in both themes: whole, quiet, light."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import KEEP_SOCKETS, OpenChat, sign_in
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

PAGES = ["/", "/chat/", "/runs/", "/runs/LAST/", "/profile/", "/styleguide/"]
MOST_BYTES = 60_000


def wide_parts(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
          .filter((e) => !e.closest(".table-scroll, pre, table, .rail, .commands, .for-readers"))
          .map((e) => e.className || e.tagName)"""
    )
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_it_works(gateway: Gateway, browser: Browser, theme: str, width: int) -> None:
    context = browser.new_context(
        base_url=gateway.url,
        viewport={"width": width, "height": 812},
        color_scheme=theme,  # type: ignore[arg-type]
    )
    chat = ChatPage(sign_in(context, gateway), gateway)
    page = chat.page
    chat.connected()
    chat.ask("Show me a Markdown sampler. " + "unbroken" * 40)
    last = page.locator("[data-slot=run]").last.get_attribute("href") or ""

    for path in PAGES:
        page.goto(last if path == "/runs/LAST/" else path)
        assert page.title().endswith("OpenClaw")
        expect(page.locator("h1")).to_have_count(1)
        assert wide_parts(page) == [], path
    assert chat.errors == []
    assert chat.foreign == []
    context.close()


def test_the_chat_page_is_light(gateway: Gateway, browser: Browser) -> None:
    context = browser.new_context(base_url=gateway.url)
    page = sign_in(context, gateway)
    sizes: dict[str, int] = {}

    def weigh(response: Response) -> None:
        sizes[response.url] = len(gzip.compress(response.body()))

    page.on("response", weigh)
    page.goto("/chat/")
    page.wait_for_selector("body[data-connection=open]", state="attached")
    page.wait_for_load_state("networkidle")

    assert sum(sizes.values()) <= MOST_BYTES, sizes
    context.close()


def test_the_drawer_of_a_phone(gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(gateway, viewport={"width": 1280, "height": 812})
    page = chat.page
    page.set_viewport_size({"width": 375, "height": 812})
    rail = page.locator("#rail")
    expect(rail).not_to_be_in_viewport()
    page.get_by_role("link", name="Menu").click()
    expect(rail).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(rail).not_to_be_in_viewport()
    expect(page.get_by_role("link", name="Menu")).to_be_focused()

    chat.ask("Run a command that says hello.")

    assert wide_parts(page) == []
    expect(chat.field).to_be_in_viewport()


def test_without_a_script_the_page_reads_and_sends(gateway: Gateway, browser: Browser) -> None:
    context = browser.new_context(base_url=gateway.url, java_script_enabled=False)
    page = sign_in(context, gateway)
    page.get_by_role("button", name="New session").filter(visible=True).last.click()
    page.locator("#composer-text").fill("What can you do?")

    page.get_by_role("button", name="Send").click()

    for _ in range(50):
        if page.locator(".message__foot").count():
            break
        page.wait_for_timeout(200)
        page.reload()
    expect(page.locator(".message--user")).to_have_count(1)
    expect(page.locator(".message--agent .prose")).not_to_be_empty()
    context.close()


def test_hostile_answers_load_nothing_while_they_stream(
    model_gateway: Gateway, open_chat: OpenChat
) -> None:
    chat = open_chat(model_gateway)
    chat.page.on("dialog", lambda dialog: chat.errors.append(dialog.message))

    chat.ask(
        "[[echo:![x](https://evil.example/?q=1) <img src=https://evil.example/2 onerror=alert(1)> "
        "<script>alert(2)</script> [y](javascript:alert(3)) \u202egpj]]"
    )

    assert chat.foreign == []
    hrefs = chat.answers.locator("a[href^=javascript]")
    expect(hrefs).to_have_count(0)
    expect(chat.answers.locator(".prose img, .prose script")).to_have_count(0)
    expect(chat.answers.locator(".prose")).to_contain_text("[U+202E]gpj")


def test_the_panel_follows_what_runs(gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(gateway)
    panel = chat.page.context.new_page()
    panel.goto("/")
    expect(panel.get_by_text("No agent works at the moment.")).to_be_visible()

    chat.send("Stream a long text.")

    expect(panel.locator(".line .state--busy")).to_be_visible()
    chat.ended()
    expect(panel.get_by_text("No agent works at the moment.")).to_be_visible()
    expect(panel.locator(".row-link").first).to_have_text("Stream a long text.")


def test_stop_everything_asks_first(gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(gateway)
    page = chat.page
    page.goto("/")
    page.get_by_role("button", name="Stop everything").click()
    page.get_by_role("button", name="Stop all agents").click()
    expect(page.get_by_text("Everything is stopped.").first).to_be_visible()

    page.get_by_role("button", name="Let everything run").click()

    expect(page.get_by_role("button", name="Stop everything")).to_be_visible()
    assert KEEP_SOCKETS
