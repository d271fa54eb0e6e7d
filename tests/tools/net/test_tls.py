"""Certificates are about the name, although the connection goes to a checked address."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agents.core.errors import ToolError
from tests.tools.net.conftest import OPEN, PUBLIC, Names
from tools.net.fetch import Fetcher


def certificate(name: str, folder: Path) -> tuple[Path, Path]:
    """A certificate for `name` that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / f"{name}.pem", folder / f"{name}.key"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert_file, key_file


@pytest.fixture
async def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """A server over TLS whose certificate is for site.example and trusted."""
    cert_file, key_file = certificate("site.example", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(cert_file))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert_file, key_file)

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=request.host)

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, PUBLIC, 0, ssl_context=context).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


async def test_it_works(port: int) -> None:
    fetcher = Fetcher(OPEN, resolver=Names({"site.example": [[PUBLIC]]}))
    page = await fetcher.fetch(f"https://site.example:{port}/")
    assert page.body.decode() == f"site.example:{port}"


async def test_a_certificate_for_another_name_is_refused(port: int) -> None:
    fetcher = Fetcher(OPEN, resolver=Names({"other.example": [[PUBLIC]]}))
    with pytest.raises(ToolError, match="certificate"):
        await fetcher.fetch(f"https://other.example:{port}/")


async def test_the_address_alone_is_not_the_name(port: int) -> None:
    with pytest.raises(ToolError, match="certificate"):
        await Fetcher(OPEN).fetch(f"https://{PUBLIC}:{port}/")
