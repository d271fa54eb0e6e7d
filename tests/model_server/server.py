"""The web application: what is served, counted and recorded."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, cast

from aiohttp import web

from tests.model_server import bedrock, chat, github, google, messages, ollama, responses
from tests.model_server.answer import Answer, answer_build
from tests.model_server.conversation import Conversation
from tests.model_server.media import Media
from tests.model_server.odd import Odd, odd_calls
from tests.model_server.responses_socket import ResponsesSocket
from tests.model_server.script import Script, script_parse

_SECRET_HEADERS = {"authorization", "x-api-key", "api-key", "x-goog-api-key"}
_FOREVER_SECONDS = 86_400
_QUOTED = re.compile(r"<(conversation|earlier-summary)>.*</\1>", re.DOTALL)
_RETRY_AFTER = {429: "1", 503: "1", 529: "1"}
_ERROR_TEXTS = {
    401: "Invalid API key",
    402: "Insufficient credits",
    403: "Forbidden",
    404: "The model does not exist",
    429: "Rate limit reached",
    500: "Internal server error",
    529: "Overloaded",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ScriptedModel:
    """One server. `delay` is in seconds; `record` is how many requests are kept."""

    def __init__(self, *, default: str = "ok", delay: float = 0.0, record: int = 200) -> None:
        self.default = default
        self.delay = delay
        self.requests: deque[dict[str, Any]] = deque(maxlen=record)
        self.stats: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.in_flight = 0

    def application(self) -> web.Application:
        """The routes; every model path also without the /v1 that clients may leave out."""
        app = web.Application(client_max_size=256 * 1024 * 1024)
        Media(self).routes(app)
        for prefix in ("/v1", ""):
            app.router.add_post(f"{prefix}/chat/completions", self._door(chat))
            app.router.add_post(f"{prefix}/messages", self._door(messages))
            app.router.add_post(f"{prefix}/responses", self._door(responses))
            app.router.add_get(f"{prefix}/responses", self._responses_socket)
            app.router.add_get(f"{prefix}/models", self._models)
        # A service, or a proxy before it, that knows no WebSocket.
        app.router.add_post("/posts/v1/responses", self._door(responses))
        app.router.add_post(bedrock.path, self._door(bedrock))
        app.router.add_post("/{version:v1|v1beta}/models/{call}", self._door(google))
        app.router.add_post("/api/chat", self._door(ollama))
        app.router.add_get("/api/tags", ollama.tags)
        app.router.add_get("/__aws/credentials", bedrock.credentials)
        github.routes(app, self._door, github)
        app.router.add_get("/__requests", self._requests)
        app.router.add_get("/__stats", self._stats)
        app.router.add_post("/__config", self._config)
        app.router.add_post("/__reset", self._reset)
        return app

    def _door(self, dialect: ModuleType) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            with self.counted(dialect):
                return await self._answer(request, dialect)

        return handle

    @contextmanager
    def counted(self, dialect: ModuleType) -> Iterator[None]:
        """A context that counts as one request."""
        self.in_flight += 1
        self.stats["requests"] += 1
        self.stats[dialect.name] += 1
        self.stats["peak_in_flight"] = max(self.stats["peak_in_flight"], self.in_flight)
        try:
            yield
        finally:
            self.in_flight -= 1

    async def _responses_socket(self, request: web.Request) -> web.StreamResponse:
        return await ResponsesSocket(self, request).serve()

    async def _answer(self, request: web.Request, dialect: ModuleType) -> web.StreamResponse:
        body = json.loads(await request.read())
        if hasattr(dialect, "refusal") and (refused := await dialect.refusal(request)):
            return cast(web.Response, refused)
        if hasattr(dialect, "prepare"):
            body = dialect.prepare(request, body)
        self.record(request, body)
        conversation: Conversation = dialect.read(body)
        # What is to be summarised quotes directives that were for other answers.
        script = script_parse(_QUOTED.sub("", conversation.user))
        await asyncio.sleep(self.delay if script.delay is None else script.delay)
        if script.hang:
            await asyncio.sleep(_FOREVER_SECONDS)
        failed = self.failure(script, conversation, dialect)
        if failed is not None:
            return failed
        streaming = bool(body.get("stream"))
        if script.odd in dialect.odd and not conversation.results and streaming:
            return await _send_odd(request, dialect.odd[script.odd](odd_calls(script)))
        answer = answer_build(script, conversation, self.default)
        if not streaming:
            return web.json_response(dialect.whole(answer, body.get("model", "")))
        return await _send(request, script, answer, dialect, body)

    def record(self, request: web.Request, body: Any) -> None:
        """Keeps a request for /__requests, without its secrets."""
        headers = {
            name: "***" if name.lower() in _SECRET_HEADERS else value
            for name, value in request.headers.items()
        }
        found = {"ts": time.time(), "path": request.path, "headers": headers, "body": body}
        self.requests.append(found)

    def failure(
        self, script: Script, conversation: Conversation, dialect: ModuleType
    ) -> web.Response | None:
        """The HTTP error that the script wants now; None when it wants none."""
        if script.overflow_above is not None and conversation.chars > script.overflow_above:
            self.stats["overflow"] += 1
            more: dict[str, str] = getattr(dialect, "error_headers", lambda *_: {})(400, "")
            return web.json_response(dialect.overflow(), status=400, headers=more)
        status, seen = script.status, self.failures[conversation.user]
        if status is None or seen >= (script.status_times or seen + 1):
            return None
        self.failures[conversation.user] += 1
        self.stats[f"status_{status}"] += 1
        wait = script.retry_after or _RETRY_AFTER.get(status, "none")
        headers = {} if wait == "none" else {"retry-after": wait}
        text = script.because or _ERROR_TEXTS.get(status, "error")
        if hasattr(dialect, "error_headers"):
            headers |= dialect.error_headers(status, text)
        return web.json_response(dialect.error(status, text), status=status, headers=headers)

    async def _models(self, request: web.Request) -> web.Response:
        names = ("fake-1", "fake-2")
        data = [{"id": name, "object": "model", "owned_by": "fake"} for name in names]
        return web.json_response({"object": "list", "data": data})

    async def _requests(self, request: web.Request) -> web.Response:
        return web.json_response(list(self.requests))

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response({**self.stats, "in_flight": self.in_flight})

    async def _config(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.delay = float(body.get("delay_ms", self.delay * 1000)) / 1000
        self.default = body.get("default", self.default)
        if "record" in body:
            self.requests = deque(self.requests, maxlen=int(body["record"]))
        state = {"delay_ms": self.delay * 1000, "default": self.default}
        return web.json_response({**state, "record": self.requests.maxlen})

    async def _reset(self, request: web.Request) -> web.Response:
        self.requests.clear()
        self.stats.clear()
        self.failures.clear()
        return web.json_response({"ok": True})


async def _prepare(request: web.Request, content_type: str) -> web.StreamResponse:
    headers = {"content-type": content_type, "cache-control": "no-cache"}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    return response


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        cast(asyncio.WriteTransport, request.transport).abort()


async def _send_odd(request: web.Request, odd: Odd) -> web.StreamResponse:
    response = await _prepare(request, odd.content_type)
    await response.write(b"".join(odd.frames))
    if odd.cut:
        # What was written must arrive before the connection breaks.
        await asyncio.sleep(0.02)
        _cut(request)
    return response


async def _send(
    request: web.Request, script: Script, answer: Answer, dialect: ModuleType, body: Any
) -> web.StreamResponse:
    """Streams an answer; frames that need no pause between them go out in one write."""
    content_type = getattr(dialect, "content_type", "text/event-stream")
    response = await _prepare(request, content_type)
    buffered: list[bytes] = []
    sent = 0
    for kind, frame in dialect.stream(answer, body):
        if kind == "word":
            ended = sent in (script.drop, script.stall)
            if ended or (answer.gap and sent):
                await response.write(b"".join(buffered))
                buffered.clear()
                await asyncio.sleep(0.02 if sent == script.drop else answer.gap)
            if sent == script.drop:
                _cut(request)
                return response
            if sent == script.stall:
                await asyncio.sleep(_FOREVER_SECONDS)
            sent += 1
        buffered.append(frame)
    await response.write(b"".join(buffered))
    return response
