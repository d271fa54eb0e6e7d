"""Requests after the handshake: checked, carried out beside each other, answered once."""

from __future__ import annotations

from typing import Any

import structlog
from pydantic import ValidationError

from channels_app.gateway.call import Call
from channels_app.gateway.connection import Connection
from channels_app.gateway.errors import (
    FORBIDDEN,
    UNAVAILABLE,
    GatewayError,
    error_from,
    invalid,
    missing_scope,
)
from channels_app.gateway.frames import FrameInvalid, Request, request_parse
from channels_app.gateway.hub.hub import Hub
from channels_app.gateway.registry import ANSWERED, METHODS, Method
from channels_app.gateway.validation import error_text

log = structlog.get_logger(__name__)


def dispatch(connection: Connection, hub: Hub, text: str) -> None:
    """Begins to carry out the request in `text`. Whatever it is, the socket stays open."""
    try:
        request = request_parse(text)
    except FrameInvalid as error:
        connection.refuse(error.request_id, invalid(error.message))
        return
    try:
        found, params = _checked(connection, request)
    except GatewayError as error:
        connection.refuse(request.id, error)
        _count_unauthorized(connection, error)
        return
    connection.unauthorized = 0
    connection.spawn(_carry_out(Call(connection, request.id, hub), found, params))


def _checked(connection: Connection, request: Request) -> tuple[Method[Any], Any]:
    if request.method == "connect":
        raise invalid("connect is only valid as the first request")
    if request.method not in METHODS:
        raise invalid(f"unknown method: {request.method}")
    found = METHODS.get(request.method)
    if found.scope and not connection.principal.has_scope(found.scope):
        raise missing_scope(found.scope)
    if len(connection.tasks) >= connection.limits.requests_in_flight:
        raise GatewayError(
            UNAVAILABLE, "too many requests in flight on this connection", retry_after_ms=500
        )
    try:
        return found, found.params.model_validate(
            request.params if request.params is not None else {}
        )
    except ValidationError as error:
        raise invalid(f"invalid {request.method} params: {error_text(error)}") from None


def _count_unauthorized(connection: Connection, error: GatewayError) -> None:
    if error.code != FORBIDDEN:
        return
    connection.unauthorized += 1
    if connection.unauthorized > connection.limits.unauthorized_in_a_row:
        connection.outbox.close(1008, "repeated unauthorized calls")


async def _carry_out(call: Call, found: Method[Any], params: Any) -> None:
    try:
        payload = await found.handler(call, params)
    except Exception as error:  # noqa: BLE001 - every failure is answered
        call.connection.refuse(call.request_id, error_from(error, method=found.name))
        return
    if payload is not ANSWERED:
        call.connection.answer(call.request_id, payload)
