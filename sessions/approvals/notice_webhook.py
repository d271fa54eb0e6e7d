"""A notice to an address on the network, signed so that the receiver knows who sent it."""

from __future__ import annotations

import hashlib
import hmac
import time

import orjson

from agents.core.errors import DeliveryError
from sessions.approvals.notice_routes import Notice
from tools.net.policy import PUBLIC, NetworkPolicy
from tools.net.transport import guarded_client
from tools.net.urls import url_read

SIGNATURE = "X-OpenClaw-Signature"
TIMESTAMP = "X-OpenClaw-Timestamp"
# Seconds for one notice; the question itself lives for two minutes.
SECONDS = 10.0


async def notice_to_webhook(notice: Notice, policy: NetworkPolicy = PUBLIC) -> None:
    """POSTs the notice as JSON. Raises what keeps it from being taken.

    Only public addresses are asked; redirects are not followed.
    """
    body = orjson.dumps({
        "event": "exec.approval.requested", "text": notice.text, "payload": notice.payload,
    })  # fmt: skip
    stamp = str(int(time.time()))
    headers = {
        "content-type": "application/json",
        TIMESTAMP: stamp,
        SIGNATURE: webhook_signature(notice.secret, stamp, body),
    }
    async with guarded_client(policy, timeout_seconds=SECONDS) as client:
        response = await client.post(url_read(notice.to), content=body, headers=headers)
    if not response.is_success:
        raise DeliveryError(f"The webhook answered {response.status_code}.", permanent=True)


def webhook_signature(secret: str, stamp: str, body: bytes) -> str:
    """`sha256=` and the HMAC of time stamp, a dot, and the body."""
    digest = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={digest.hexdigest()}"
