"""A fresh gateway: sign in, ask, see a tool work."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import OpenChat, sign_in
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser


def test_it_works(gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(gateway)
    expect(chat.page.get_by_text("This is a rehearsal")).to_be_visible()
    chat.page.get_by_role("button", name="Run a command").click()

    chat.ended()

    card = chat.page.locator(".tool")
    expect(card).to_have_count(1)
    expect(card.locator(".state")).to_have_text("done")
    card.locator("summary").click()
    expect(card.locator("[data-slot=result]")).to_contain_text("Hello")
    assert chat.foreign == []


def test_all_ten_requests_are_offered_and_answered(gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(gateway)
    chips = chat.page.locator(".chip")
    expect(chips).to_have_count(10)

    for number in range(10):
        chips.nth(number).click()
        chat.ended(number + 1)

    expect(chat.asked).to_have_count(10)


def test_a_link_works_once_and_looking_at_it_does_not_use_it(
    gateway: Gateway, browser: Browser
) -> None:
    link = gateway.manage("signin_link").split()[-1]
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/chat/**")
    context.close()

    again = browser.new_context()
    page = again.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_contain_text("used up or too old")
    again.close()


def test_password_profile_and_sign_out(gateway: Gateway, browser: Browser) -> None:
    context = browser.new_context(base_url=gateway.url)
    page = sign_in(context, gateway)
    page.goto("/profile/")
    page.get_by_label("Theme").select_option("dark")
    page.get_by_label("Time zone").select_option("Europe/Paris")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    for field in page.locator("input[type=password]").all():
        field.fill("a-long-enough-phrase")
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_text("Your password is saved")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/signin/")

    page.goto("/runs/")
    page.get_by_label("Username").fill("owner")
    page.get_by_label("Password").fill("a-long-enough-phrase")
    page.get_by_role("button", name="Sign in").click()

    page.wait_for_url("**/runs/")
    context.close()
