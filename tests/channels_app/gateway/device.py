"""A client's device: a key and the proofs it makes."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Device:
    """Signs connect params as the protocol's own clients do."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()
        self._public = self._key.public_key().public_bytes_raw()
        self.id = hashlib.sha256(self._public).hexdigest()

    def sign(
        self, params: dict[str, Any], *, nonce: str, signed_at: int, version: str = "v3"
    ) -> dict[str, Any]:
        """`params` with a proof for this very challenge."""
        client, auth = params["client"], params.get("auth", {})
        parts = [
            version,
            self.id,
            client["id"],
            client["mode"],
            params["role"],
            ",".join(params.get("scopes") or ()),
            str(signed_at),
            auth.get("token") or auth.get("deviceToken") or "",
            nonce,
        ]
        if version == "v3":
            parts += [client["platform"].lower(), client.get("deviceFamily", "").lower()]
        signature = self._key.sign("|".join(parts).encode())
        device = {
            "id": self.id,
            "publicKey": _text(self._public),
            "signature": _text(signature),
            "signedAt": signed_at,
            "nonce": nonce,
        }
        return {**params, "device": device}
