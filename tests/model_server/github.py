"""GitHub as Copilot needs it: device sign-in, short-lived tokens, chat behind them.

What it does next is set by POST /__github with any of: `device` (pending, slow_down, expired,
denied, approved), `interval`, `code_life` and `token_life` in seconds, `token_status` (the HTTP
status of the token's address), `revoked` (true: all tokens given out so far are refused).
GET /__github tells `device_checks`, `tokens` (how many were given), and `last_headers` of chat.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.model_server import chat
from tests.model_server.chat import error, odd, overflow, read, stream, whole

GITHUB_TOKEN = "gho_scripted"
__all__ = ["error", "name", "odd", "overflow", "read", "refusal", "routes", "stream", "whole"]

name = "copilot"

_DEFAULTS: dict[str, Any] = {
    "device": "pending",
    "interval": 1,
    "code_life": 900,
    "token_life": 1500,
    "token_status": 200,
}
_state: dict[str, Any] = {}
_tokens: dict[str, float] = {}
_WAITING = {"pending": "authorization_pending", "slow_down": "slow_down"}
_ENDED = {"expired": "expired_token", "denied": "access_denied"}


def routes(app: web.Application, door: Callable[[Any], Any], dialect: Any) -> None:
    """Adds GitHub's addresses and Copilot's chat to the scripted server."""
    _forget()
    app.router.add_post("/login/device/code", _device_code)
    app.router.add_post("/login/oauth/access_token", _access_token)
    app.router.add_get("/copilot_internal/v2/token", _token)
    app.router.add_post("/copilot/chat/completions", door(dialect))
    app.router.add_post("/__github", _configure)
    app.router.add_get("/__github", _tell)


def _forget() -> None:
    _state.clear()
    _state.update(_DEFAULTS, device_checks=0, tokens=0, last_headers={}, asked_at=0.0, made_at=0.0)
    _tokens.clear()


async def _configure(request: web.Request) -> web.Response:
    body = await request.json()
    if body.pop("reset", False):
        _forget()
    if body.pop("revoked", False):
        _tokens.clear()
    _state.update(body)
    return web.json_response(_state)


async def _tell(request: web.Request) -> web.Response:
    return web.json_response(_state)


async def _device_code(request: web.Request) -> web.Response:
    form = await request.post()
    if not form.get("client_id"):
        return web.json_response({"error": "unauthorized_client"}, status=400)
    _state["made_at"] = time.time()
    return web.json_response(
        {
            "device_code": "device-secret",
            "user_code": "WDJB-MJHT",
            "verification_uri": f"http://{request.host}/login/device",
            "interval": _state["interval"],
            "expires_in": _state["code_life"],
        }
    )


async def _access_token(request: web.Request) -> web.Response:
    """GitHub answers its refusals here with 200 and an `error`."""
    form = await request.post()
    too_soon = time.time() - _state["asked_at"] < _state["interval"] * 0.9
    _state["asked_at"] = time.time()
    _state["device_checks"] += 1
    if form.get("device_code") != "device-secret":
        return web.json_response({"error": "incorrect_device_code"})
    if time.time() - _state["made_at"] > _state["code_life"]:
        return web.json_response({"error": "expired_token"})
    device = _state["device"]
    if device in _ENDED:
        return web.json_response({"error": _ENDED[device]})
    if device == "slow_down" or too_soon:
        return web.json_response({"error": "slow_down", "interval": _state["interval"] + 5})
    if device in _WAITING:
        return web.json_response({"error": _WAITING[device]})
    return web.json_response(
        {"access_token": GITHUB_TOKEN, "token_type": "bearer", "scope": "read:user"}
    )


async def _token(request: web.Request) -> web.Response:
    if request.headers.get("authorization") != f"token {GITHUB_TOKEN}":
        return web.json_response({"message": "Bad credentials"}, status=401)
    if _state["token_status"] != 200:
        text = {"message": "Resource not accessible"}
        return web.json_response(text, status=_state["token_status"])
    _state["tokens"] += 1
    ends = int(time.time() + _state["token_life"])
    token = f"tid={_state['tokens']};exp={ends};sku=scripted:0"
    _tokens[token] = ends
    return web.json_response(
        {
            "token": token,
            "expires_at": ends,
            "refresh_in": max(0, _state["token_life"] - 300),
            "endpoints": {"api": f"http://{request.host}/copilot"},
        }
    )


async def refusal(request: web.Request) -> web.Response | None:
    """Chat takes its own tokens while they live, and clients that name their editor."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme != "Bearer" or _tokens.get(token, 0) <= time.time():
        text = "unauthorized: token expired"
        return web.json_response(chat.error(401, text), status=401)
    needed = ("Editor-Version", "Copilot-Integration-Id")
    missing = [key for key in needed if key not in request.headers]
    if missing:
        text = f"missing {', '.join(missing)} header"
        return web.json_response(chat.error(400, text), status=400)
    kept = ("X-Initiator", "Copilot-Vision-Request", "User-Agent")
    _state["last_headers"] = {key: request.headers[key] for key in kept if key in request.headers}
    return None
