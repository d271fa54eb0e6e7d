"""From a fresh checkout to a turn with a tool call: `make up`, the printed link, one click."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenChat
from tests.platform.gateway import ROOT, Gateway, free_port

pytestmark = pytest.mark.browser


def _checkout(folder: Path) -> None:
    """What Git knows of the tree, and nothing that a run has left behind."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            # Keeps the time of change, by which make judges what is installed.
            shutil.copy2(ROOT / name, folder / name)


@pytest.fixture
def fresh_gateway(tmp_path: Path) -> Iterator[Gateway]:
    """Nothing is there but the checkout; only the requirements are installed already."""
    _checkout(tmp_path)
    command = ("make", "up", f"VENV={sys.prefix}")
    gateway = Gateway(tmp_path / "var", free_port(), command=command, folder=tmp_path)
    yield gateway.start()
    gateway.kill()


def test_it_works(fresh_gateway: Gateway, open_chat: OpenChat) -> None:
    assert fresh_gateway.sign_in_link.startswith(fresh_gateway.url)
    chat = open_chat(fresh_gateway)

    chat.page.get_by_role("button", name="List files").click()

    chat.ended()
    expect(chat.page.locator(".tool .state")).to_have_text("done")
    assert (fresh_gateway.home / "db.sqlite3").is_file()
