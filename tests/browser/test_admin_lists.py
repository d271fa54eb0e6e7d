"""The admin answers what failed today, what runs now and who spends."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.browser.conftest import sign_in
from tests.platform.gateway import ROOT, Gateway, wait_for

pytestmark = pytest.mark.browser


def ask(gateway: Gateway, text: str) -> None:
    """A message by a program, waited for to its end, whatever that is."""
    httpx.post(
        f"{gateway.url}/v1/chat/completions",
        headers={"Authorization": f"Bearer {gateway.token}"},
        json={"model": "openclaw", "messages": [{"role": "user", "content": text}]},
        timeout=30,
    )


@pytest.fixture
def admin(browser: Browser, model_gateway: Gateway) -> Iterator[Page]:
    """The owner at the admin's first page; console errors fail the test."""
    errors: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page = sign_in(context, model_gateway)
    page.on("console", said)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{model_gateway.url}/admin/")
    yield page
    context.close()
    assert errors == []


def follow(page: Page, words: str) -> None:
    """Clicks on a question in the sidebar."""
    page.locator("#nav-sidebar-apps").get_by_role("link", name=re.compile(words)).click()


def test_it_works(admin: Page, model_gateway: Gateway) -> None:
    """What failed today: the reason is in the list, the timeline one click away."""
    ask(model_gateway, "[[status:400]] this one fails")
    ask(model_gateway, "[[echo:fine]] this one works")
    admin.reload()
    follow(admin, "What failed today")
    rows = admin.locator("#result_list tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("this one fails")
    expect(rows).to_contain_text("failed")
    rows.get_by_role("link", name="open", exact=True).click()
    admin.wait_for_url("**/runs/*/")
    expect(admin.locator("main")).to_contain_text("this one fails")


def test_what_runs_now(admin: Page, model_gateway: Gateway) -> None:
    """A turn that works is in the list until it is stopped there."""
    command = [sys.executable, "manage.py", "agent", "-m", "[[hang]] for ever"]
    environment = model_gateway.environment
    asking = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: "for ever" in model_gateway.manage("runs", "--state", "running"))
        admin.reload()
        follow(admin, "What runs now")
        rows = admin.locator("#result_list tbody tr")
        expect(rows).to_contain_text("for ever")
        rows.locator("input.action-select").check()
        admin.locator("select[name=action]").select_option(label="Stop what runs")
        admin.get_by_role("button", name="Run").click()
        expect(admin.get_by_text("1 run is stopping")).to_be_visible()
        assert asking.wait(20) == 1
    finally:
        asking.kill()
    follow(admin, "What runs now")
    expect(admin.locator("#result_list tbody tr")).to_have_count(0)


def test_who_spends(admin: Page, model_gateway: Gateway) -> None:
    """Tokens by agent, and by model with one click."""
    ask(model_gateway, "[[usage:1234:56]] counted")
    follow(admin, "Who spends")
    sums = admin.locator("table.oc-sums tbody tr")
    expect(sums.filter(has_text="main")).to_contain_text(re.compile(r"\d,\d{3}"))
    admin.locator(".oc-chips").get_by_role("link", name="Model").click()
    expect(admin.locator("table.oc-sums tbody tr")).to_contain_text("openai/scripted")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_pages_do_not_scroll_sideways(
    browser: Browser, model_gateway: Gateway, scheme: str
) -> None:
    """At 375 px, in both themes, on the pages that people open most."""
    context = browser.new_context(
        viewport={"width": 375, "height": 780},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = sign_in(context, model_gateway)
    for path in ("", "agent_sessions/run/", "agent_sessions/modelcall/spending/", "agents/agent/"):
        page.goto(f"{model_gateway.url}/admin/{path}")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 375, path
    context.close()
