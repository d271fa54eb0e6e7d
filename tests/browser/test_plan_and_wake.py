"""A plan is a checklist in the chat; a turn that an event began has a line instead of a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import OpenChat
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser

PLAN = [
    {"step": "read the notes", "status": "completed"},
    {"step": "<b>write</b> the report", "status": "in_progress"},
    {"step": "send it", "status": "pending"},
]
FREE = {"tools": {"exec": {"security": "full", "ask": "off"}}}


def plan_shown(chat: ChatPage) -> None:
    """The checklist is open and says what is done."""
    steps = chat.page.locator(".plan__step")
    expect(steps).to_have_text([step["step"] for step in PLAN])
    expect(chat.page.locator(".plan__step--completed")).to_have_text("read the notes")
    expect(chat.page.locator(".plan__step--in_progress")).to_be_visible()


def test_it_works(model_gateway: Gateway, open_chat: OpenChat) -> None:
    chat = open_chat(model_gateway)
    call = json.dumps({"plan": PLAN})
    chat.ask(f"[[tool:update_plan {call}]] [[final:that is the plan]]")
    plan_shown(chat)
    chat.page.reload()
    chat.connected()
    plan_shown(chat)
    assert chat.errors == []


def test_a_wake(model_gateway: Gateway, open_chat: OpenChat, tmp_path: Path) -> None:
    settings = tmp_path / "openclaw.json"
    settings.write_text(json.dumps(FREE))
    model_gateway.manage("config", "apply", str(settings))
    chat = open_chat(model_gateway)
    command = f"until [ -e {tmp_path / 'go'} ]; do sleep 0.05; done; echo '[[echo:it is built]]'"
    call = json.dumps({"command": command, "background": True})
    chat.ask(f"[[tool:exec {call}]] [[final:started]]")
    (tmp_path / "go").touch()
    for _ in range(2):
        expect(chat.page.get_by_text("it is built", exact=True)).to_be_visible()
        line = chat.page.locator(".message--notice")
        expect(line).to_have_count(1)
        expect(line).to_contain_text("Exec completed (")
        expect(chat.page.locator("#transcript .message--user")).to_have_count(1)
        expect(chat.answers).to_have_count(3)
        chat.page.reload()
        chat.connected()
    assert chat.errors == []
