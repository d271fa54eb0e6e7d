"""Answers over a WebSocket: one `response.create` each, its events as JSON frames.

A connection carries one answer at a time and is kept for the next one. The service ends a
connection after an hour.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from agents.core.errors import ProviderError
from agents.core.model import ModelInfo
from agents.providers.common.body import json_decode, json_encode
from agents.providers.failures import error_from_body
from agents.providers.openai_responses.events import ENDS
from agents.providers.openai_responses.request import base_url
from agents.providers.openai_responses.transports import TransportUnavailableError

if TYPE_CHECKING:
    from aiohttp import ClientSession, ClientWebSocketResponse

CONNECT_SECONDS = 15.0
# How long to wait for the other side's farewell.
CLOSE_SECONDS = 0.2
# The service's limit is an hour; an answer must have time to end within it.
MAX_AGE_SECONDS = 50 * 60.0
MAX_IDLE_SECONDS = 5 * 60.0
MAX_IDLE = 16
# The service's word for a connection that has reached its hour.
_AGED = "websocket_connection_limit_reached"
# They tell one machine of the service from another by session, and connections serve them all.
_SESSION_HEADERS = ("session_id", "x-client-request-id")

Headers = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Line:
    """One connection. Times are of the monotonic clock."""

    socket: ClientWebSocketResponse
    headers: Headers
    opened_at: float
    used_at: float

    async def frame(self) -> bytes | None:
        """The next frame's text; None when the connection has ended."""
        message = await self.socket.receive()
        data = message.data
        if isinstance(data, str):
            return data.encode()
        return data if isinstance(data, bytes) else None

    def is_fresh(self, now: float) -> bool:
        """Whether the next answer may use it."""
        young = now - self.opened_at < MAX_AGE_SECONDS and now - self.used_at < MAX_IDLE_SECONDS
        return young and not self.socket.closed

    async def aclose(self) -> None:
        """Ends the connection. Never raises."""
        with suppress(Exception):
            await self.socket.close()


class SocketTransport:
    """The connections of one client; `aiohttp` is imported with the first one."""

    def __init__(self, model: ModelInfo) -> None:
        self._model = model
        scheme, _, rest = base_url(model).partition("://")
        self._url = f"{'ws' if scheme == 'http' else 'wss'}://{rest}/responses"
        self._session: ClientSession | None = None
        self._idle: list[Line] = []

    async def send(self, body: dict[str, Any], headers: Mapping[str, str]) -> SocketResponse:
        """The answer, its first frame received.

        Kept connections that turn out to be dead are replaced. Raises
        TransportUnavailableError when there is none to be had, and ProviderError for a refusal.
        """
        kept = {key: value for key, value in headers.items() if key not in _SESSION_HEADERS}
        wanted = tuple(sorted(kept.items()))
        text = json_encode({"type": "response.create", **body}).decode()
        while (line := await self._take(wanted)) is not None:
            if (response := await self._asked(line, text)) is not None:
                return response
        line = await self._opened(wanted)
        response = await self._asked(line, text)
        if response is None:
            raise TransportUnavailableError("the connection was closed without a word")
        return response

    async def _take(self, wanted: Headers) -> Line | None:
        """A kept connection with these headers; what is too old is closed on the way."""
        now = monotonic()
        for line in [line for line in self._idle if not line.is_fresh(now)]:
            self._idle.remove(line)
            await line.aclose()
        for line in self._idle:
            if line.headers == wanted:
                self._idle.remove(line)
                return line
        return None

    async def _opened(self, wanted: Headers) -> Line:
        import aiohttp

        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
            self._session = aiohttp.ClientSession(timeout=timeout, trust_env=True)
        try:
            socket = await self._session.ws_connect(
                self._url,
                headers={"authorization": f"Bearer {self._model.api_key}", **dict(wanted)},
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS),
                max_msg_size=0,
            )
        except (aiohttp.ClientError, OSError) as error:
            raise TransportUnavailableError(str(error) or type(error).__name__) from error
        now = monotonic()
        return Line(socket, wanted, opened_at=now, used_at=now)

    async def _asked(self, line: Line, text: str) -> SocketResponse | None:
        """The answer on this connection; None when the connection is dead or has reached its age.

        Waiting for the first frame here lets a refusal be seen before an answer has begun, as it
        is with POST.
        """
        try:
            await line.socket.send_str(text)
            first = await line.frame()
            if first is None or self._refusal(first) is None:
                await line.aclose()
                return None
        except (ConnectionError, OSError):
            await line.aclose()
            return None
        except BaseException:
            await line.aclose()
            raise
        return SocketResponse(self, line, first)

    def _refusal(self, frame: bytes) -> bool | None:
        """False for a frame that begins an answer, None for a connection that is too old.

        Raises ProviderError for a frame that refuses the request.
        """
        value = _decoded(frame)
        if value.get("type") != "error":
            return False
        error = value.get("error")
        if isinstance(error, dict) and error.get("code") == _AGED:
            return None
        status, headers = value.get("status"), value.get("headers")
        failure: ProviderError = error_from_body(
            value,
            self._model,
            status=status if isinstance(status, int) else None,
            headers=headers if isinstance(headers, dict) else None,
        )
        raise failure

    async def keep(self, line: Line) -> None:
        """Takes a connection back whose answer has ended. Never raises."""
        line.used_at = monotonic()
        if self._session is None or len(self._idle) >= MAX_IDLE or line.socket.closed:
            await line.aclose()
        else:
            self._idle.append(line)

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        idle, self._idle = self._idle, []
        for line in idle:
            await line.aclose()
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):
                await session.close()


class SocketResponse:
    """One answer: frames turned into the bytes that POST would have given."""

    def __init__(self, transport: SocketTransport, line: Line, first: bytes) -> None:
        self._transport = transport
        self._line = line
        self._first = first
        self._whole = False

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The events up to the one that ends the answer."""
        return self._events()

    async def _events(self) -> AsyncGenerator[bytes, None]:
        frame: bytes | None = self._first
        while frame is not None:
            self._whole = _is_end(frame)
            # A line break is blank space in JSON and the end of an event in the stream.
            yield b"data: " + frame.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n\n"
            frame = None if self._whole else await self._line.frame()

    async def aclose(self) -> None:
        """Keeps the connection when the answer is whole, else ends it. Never raises."""
        line = self._line
        await (self._transport.keep(line) if self._whole else line.aclose())


def _is_end(frame: bytes) -> bool:
    """Whether this event ends an answer. Most frames are told by a look at their bytes."""
    if not any(end.encode() in frame for end in ENDS):
        return False
    return _decoded(frame).get("type") in ENDS


def _decoded(frame: bytes) -> dict[str, Any]:
    try:
        value = json_decode(frame)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
