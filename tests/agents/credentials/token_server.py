"""A token service of OAuth 2 that rotates refresh tokens: each of them works once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import orjson


class TokenService:
    """What it was asked and what it answers. `failure` (status, error) is answered when set;
    `gate` holds answers back until it is set.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.current = "refresh-0"
        self.failure: tuple[int, str] | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, form: dict[str, str]) -> tuple[int, dict[str, object]]:
        """Status and body for one request."""
        with self._lock:
            self.asked.append(form)
            number = len(self.asked)
            if self.failure:
                return self.failure[0], {"error": self.failure[1]}
            if form.get("refresh_token") != self.current:
                return 400, {"error": "invalid_grant"}
            self.current = f"refresh-{number}"
        self.gate.wait(20)
        return 200, {
            "access_token": f"access-{number}",
            "refresh_token": self.current,
            "expires_in": 3600,
        }


@contextmanager
def token_service() -> Iterator[TokenService]:
    """Runs one on a free port of this machine."""
    service = TokenService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            form = {
                key: values[0] for key, values in parse_qs(self.rfile.read(size).decode()).items()
            }
            status, body = service.answer(form)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(orjson.dumps(body))

        def log_message(self, *_args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}/token"
    try:
        yield service
    finally:
        service.gate.set()
        server.shutdown()
        server.server_close()
