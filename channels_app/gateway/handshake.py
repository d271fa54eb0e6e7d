"""From the accepted socket to hello-ok: challenge, first frame, identity."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import ValidationError

from agents.core.messages import now_ms
from channels_app.gateway.attempts import FailureLimit
from channels_app.gateway.authentication import authenticate
from channels_app.gateway.errors import (
    PROTOCOL_MISMATCH,
    GatewayError,
    error_from,
    invalid,
)
from channels_app.gateway.frames import (
    FrameInvalid,
    Request,
    answer_error,
    event_head,
    request_parse,
)
from channels_app.gateway.handshake_params import ConnectParams
from channels_app.gateway.identity import Identity, Upgrade
from channels_app.gateway.limits import Limits
from channels_app.gateway.transport import Transport
from channels_app.gateway.validation import error_text

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
PROTOCOLS = (4, 3)
ROLES = ("operator",)


class HandshakeEnded(Exception):
    """The socket is closed or must be closed: with a code and a reason, or it is gone already."""

    def __init__(self, code: int | None, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Greeting:
    """A connect that was accepted; it still has to be answered."""

    request_id: str
    params: ConnectParams
    protocol: int
    identity: Identity


async def greet(
    transport: Transport,
    receive: Receive,
    upgrade: Upgrade,
    limits: Limits,
    failures: FailureLimit,
) -> Greeting:
    """Runs the handshake. Raises HandshakeEnded for everything but a good connect."""
    payload = {"nonce": upgrade.nonce, "ts": now_ms()}
    await transport.text(event_head("connect.challenge", payload) + "}")
    try:
        async with asyncio.timeout(limits.handshake_seconds):
            text = await _first_frame(receive, limits)
            request = await _connect_request(transport, text)
            return await _accept(transport, request, upgrade, failures)
    except TimeoutError:
        raise HandshakeEnded(1008, "handshake timeout") from None


def nonce_make() -> str:
    """A fresh challenge."""
    return str(uuid.uuid4())


async def _first_frame(receive: Receive, limits: Limits) -> str:
    message = await receive()
    if message["type"] == "websocket.disconnect":
        raise HandshakeEnded(None)
    text = message.get("text")
    if text is None:
        raise HandshakeEnded(1008, "invalid handshake: text frames only")
    # A character is at most four bytes; counting exactly is only needed near the limit.
    if len(text) * 4 > limits.max_preauth_payload and (
        len(text.encode("utf-8", "surrogatepass")) > limits.max_preauth_payload
    ):
        raise HandshakeEnded(1009, "preauth payload too large")
    return str(text)


async def _connect_request(transport: Transport, text: str) -> Request:
    try:
        request = request_parse(text)
    except FrameInvalid as error:
        if error.is_json:
            await _refuse(transport, error.request_id, invalid(error.message), 3)
        raise HandshakeEnded(1008, "invalid handshake: not a request frame") from None
    if request.method != "connect":
        await _end(transport, request, invalid("invalid handshake: first request must be connect"))
    return request


async def _accept(
    transport: Transport, request: Request, upgrade: Upgrade, failures: FailureLimit
) -> Greeting:
    protocol = 4
    try:
        params = _params(request)
        protocol = 4 if params.max_protocol >= 4 else 3
        protocol = _protocol(params)
        if params.role not in ROLES:
            raise invalid("invalid role")
        identity = await authenticate(params, upgrade, failures)
        return Greeting(request.id, params, protocol, identity)
    except Exception as error:  # noqa: BLE001 - every failure is answered, then the socket closes
        answer = error_from(error, method="connect")
        code = 1002 if answer.code == PROTOCOL_MISMATCH else 1008
        await _end(transport, request, answer, code=code, protocol=protocol)


def _params(request: Request) -> ConnectParams:
    try:
        return ConnectParams.model_validate(request.params if request.params is not None else {})
    except ValidationError as error:
        raise invalid(f"invalid connect params: {error_text(error)}") from None


def _protocol(params: ConnectParams) -> int:
    for protocol in PROTOCOLS:
        if params.min_protocol <= protocol <= params.max_protocol:
            return protocol
    raise GatewayError(
        PROTOCOL_MISMATCH,
        "protocol mismatch",
        details={
            "code": PROTOCOL_MISMATCH,
            "expectedProtocol": PROTOCOLS[0],
            "clientMinProtocol": params.min_protocol,
            "clientMaxProtocol": params.max_protocol,
            "serverMinProtocol": PROTOCOLS[-1],
            "serverMaxProtocol": PROTOCOLS[0],
        },
    )


async def _end(
    transport: Transport,
    request: Request,
    error: GatewayError,
    *,
    code: int = 1008,
    protocol: int = 4,
) -> NoReturn:
    await _refuse(transport, request.id, error, protocol)
    raise HandshakeEnded(code, error.message) from None


async def _refuse(
    transport: Transport, request_id: str, error: GatewayError, protocol: int
) -> None:
    await transport.text(answer_error(request_id, error.body(protocol)))
