"""Checks that a client holds the key of the device it names. Pure.

The signed string joins with `|` (gateway.md 1.5): v3 is `v3`, device id, client id, mode, role,
scopes with commas, signedAt, the token sent or nothing, nonce, platform, family; v2 lacks the
last two. The key is Ed25519, its id the SHA-256 of the raw public key in hex.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from channels_app.gateway.handshake_params import ConnectParams, DeviceProof

# How far the client's clock may be off, in milliseconds.
MAX_SKEW_MS = 120_000


class ProofInvalid(Exception):
    """A proof that does not hold. `code` and `reason` are what clients look for."""

    def __init__(self, code: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = f"DEVICE_AUTH_{code}"
        self.reason = reason
        self.message = message


def proof_check(params: ConnectParams, device: DeviceProof, *, nonce: str, now: int) -> None:
    """Returns when the proof holds; raises ProofInvalid that says which part does not.

    `nonce` is the challenge of this very connection, `now` milliseconds since the epoch.
    """
    key = _public_key(device.public_key)
    raw = key.public_bytes_raw()
    if not hmac.compare_digest(hashlib.sha256(raw).hexdigest(), device.id.lower()):
        raise ProofInvalid("DEVICE_ID_MISMATCH", "device-id-mismatch", "device id mismatch")
    if abs(now - device.signed_at) > MAX_SKEW_MS:
        raise ProofInvalid(
            "SIGNATURE_EXPIRED", "device-signature-stale", "device signature expired"
        )
    if not device.nonce:
        raise ProofInvalid("NONCE_REQUIRED", "device-nonce-missing", "device nonce required")
    if not hmac.compare_digest(device.nonce.encode(), nonce.encode()):
        raise ProofInvalid("NONCE_MISMATCH", "device-nonce-mismatch", "device nonce mismatch")
    signature = _decode(device.signature)
    if not any(_holds(key, signature, text) for text in _signed_texts(params, device)):
        raise ProofInvalid("SIGNATURE_INVALID", "device-signature", "device signature invalid")


def public_key_text(device: DeviceProof) -> str:
    """The public key as it is stored: base64url of the 32 raw bytes, without padding."""
    raw = _public_key(device.public_key).public_bytes_raw()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def plain_label(text: str) -> str:
    """A platform or family as it is signed and compared: trimmed and in lower case."""
    return text.strip().lower()


def _signed_texts(params: ConnectParams, device: DeviceProof) -> tuple[str, str]:
    auth, client = params.auth, params.client
    secret = auth.token or auth.device_token or auth.bootstrap_token or ""
    common = [
        device.id,
        client.id,
        client.mode,
        params.role,
        ",".join(params.scopes or ()),
        str(device.signed_at),
        secret,
        device.nonce,
    ]
    labels = [plain_label(client.platform), plain_label(client.device_family)]
    return "|".join(["v3", *common, *labels]), "|".join(["v2", *common])


def _holds(key: Ed25519PublicKey, signature: bytes, text: str) -> bool:
    try:
        key.verify(signature, text.encode("utf-8", "surrogatepass"))
    except InvalidSignature:
        return False
    return True


def _public_key(text: str) -> Ed25519PublicKey:
    try:
        if text.startswith("-----BEGIN"):
            key = load_pem_public_key(text.encode())
            if isinstance(key, Ed25519PublicKey):
                return key
            raise ValueError("not an Ed25519 key")
        return Ed25519PublicKey.from_public_bytes(_decode(text))
    except ValueError:
        raise ProofInvalid(
            "PUBLIC_KEY_INVALID", "device-public-key", "device public key invalid"
        ) from None


def _decode(text: str) -> bytes:
    """base64url with or without padding; b"" for anything else, which never verifies."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
