"""The agent's browser in a turn of a whole gateway, asked for on the chat page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import psutil
import pytest

from tests.browser.conftest import CHROMIUM, OpenChat
from tests.browser.test_agent_browser_life import chromiums, is_gone, until
from tests.platform.gateway import Gateway

pytestmark = pytest.mark.browser


class Site(HTTPServer):
    """Keeps the paths that were asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.paths: list[str] = []


class Answer(BaseHTTPRequestHandler):
    """The same page for every path."""

    server: Site

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Shop</title><h1>Kettles</h1>")

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[Site]:
    """A page inside the network."""
    server = Site()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def settings(gateway: Gateway, **more: object) -> None:
    """Applies the section `browser`."""
    file = gateway.home / "browser.json"
    stated = {"noSandbox": True, "executablePath": CHROMIUM, **more}
    file.write_text(json.dumps({"browser": stated}))
    gateway.manage("config", "apply", str(file))


def opening(url: str) -> str:
    """What makes the scripted model open a page."""
    return f"[[tool:browser {json.dumps({'action': 'open', 'url': url})}]]"


def test_it_works(model_gateway: Gateway, open_chat: OpenChat, site: Site) -> None:
    settings(model_gateway, ssrfPolicy={"allowedHostnames": ["127.0.0.1"]})
    chat = open_chat(model_gateway)
    port = site.server_port

    calls = [opening(f"http://{host}:{port}/{host}") for host in ("localhost", "127.0.0.1")]
    chat.ask(f"{' '.join(calls)} [[final:done]]")

    assert "/127.0.0.1" in site.paths
    assert "/localhost" not in site.paths
    pid = model_gateway.pid_of("worker")
    assert pid is not None
    found = psutil.Process(pid).children(recursive=True)
    assert chromiums(pid)
    chat.page.close()
    model_gateway.stop()
    until(lambda: all(map(is_gone, found)))
