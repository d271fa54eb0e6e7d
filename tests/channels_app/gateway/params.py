"""Params of `connect`, as a program of this machine sends them."""

from __future__ import annotations

from typing import Any

from django.conf import settings

HOST = "127.0.0.1:18789"
ALL_SCOPES = [
    "operator.admin",
    "operator.read",
    "operator.write",
    "operator.approvals",
    "operator.pairing",
]


def connect_params(**changes: Any) -> dict[str, Any]:
    """Params of `connect` as a program of this machine sends them, with the shared token."""
    params: dict[str, Any] = {
        "minProtocol": 4,
        "maxProtocol": 4,
        "client": {
            "id": "gateway-client",
            "version": "1",
            "platform": "linux",
            "mode": "backend",
        },
        "role": "operator",
        "scopes": ALL_SCOPES,
        "caps": [],
        "auth": {"token": settings.OPENCLAW.gateway_token},
    }
    return {**params, **changes}
