"""Takes docs/chat.png anew from the real page: `python -m tests.docs.screenshot`.

Needs Chromium; the rehearsal answers.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chat_page import ChatPage
from tests.browser.conftest import ARGUMENTS, CHROMIUM, sign_in
from tests.docs.pages import ROOT
from tests.platform.gateway import Gateway, free_port

TARGET = ROOT / "docs" / "chat.png"
REQUESTS = ("Write the file rehearsal.txt.", "Read the file rehearsal.txt.")


def picture_take(gateway: Gateway, target: Path) -> None:
    """Signs in, talks, and takes the picture of what then stands on the page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        size = {"width": 1280, "height": 860}
        context = browser.new_context(viewport=size, color_scheme="light")  # type: ignore[arg-type]
        chat = ChatPage(sign_in(context, gateway), gateway)
        chat.connected()
        for request in REQUESTS:
            chat.ask(request)
        chat.page.screenshot(path=target)
        browser.close()


def main() -> int:
    """Starts a gateway for it and prints how large the picture is."""
    # Short, because a Unix socket's path must fit into it.
    home = Path(tempfile.mkdtemp(prefix="oc-"))
    gateway = Gateway(home, free_port())
    try:
        picture_take(gateway.start(), TARGET)
    finally:
        gateway.kill()
        shutil.rmtree(home, ignore_errors=True)
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
