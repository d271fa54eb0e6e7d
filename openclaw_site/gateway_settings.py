"""What the environment says about this gateway, as one frozen value (`settings.OPENCLAW`)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult

from openclaw_site.environment import EnvironmentInvalid, env_number, env_text, env_url, env_words
from openclaw_site.home import home_open, home_path, redis_socket_path, secret_keep

DEFAULT_PORT = 18789
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_SHORTEST_KEY = 16
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The addresses, secrets and files of one gateway.

    `model` is OPENCLAW_MODEL ("provider/model") or "". `redis_url` is for redis-py, `broker_url`
    for Celery. `keys` are the root secrets, the newest first; everything secret is derived.
    """

    home: Path
    bind: str
    port: int
    model: str
    public_url: SplitResult | None
    extra_hosts: tuple[str, ...]
    redis_url: str
    broker_url: str
    redis_embedded: bool
    gateway_token: str = field(repr=False)
    keys: tuple[str, ...] = field(repr=False)

    @property
    def address(self) -> str:
        """The page's address for people, without a slash at the end."""
        if self.public_url is not None:
            return self.public_url.geturl().rstrip("/")
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.bind, self.bind)  # noqa: S104
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"http://{host}:{self.port}"

    @property
    def is_https(self) -> bool:
        """Whether people reach the gateway through TLS (OPENCLAW_PUBLIC_URL says so)."""
        return self.public_url is not None and self.public_url.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine can connect."""
        if self.bind == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.bind).is_loopback
        except ValueError:
            return False

    @property
    def allowed_hosts(self) -> list[str]:
        """Host headers that are answered; everything else is refused (DNS rebinding)."""
        hosts = [*LOOPBACK_NAMES, *self.extra_hosts]
        if not self.is_loopback:
            hosts += [socket.gethostname(), f"[{self.bind}]" if ":" in self.bind else self.bind]
        if self.public_url is not None and self.public_url.hostname:
            hosts.append(self.public_url.hostname)
        return hosts

    @property
    def trusted_origins(self) -> list[str]:
        """Origins beside the own host that may send forms: the public address."""
        if self.public_url is None:
            return []
        return [f"{self.public_url.scheme}://{self.public_url.netloc}"]

    def derived_key(self, purpose: str, key: str) -> bytes:
        """32 bytes for `purpose` from one root secret; other purposes tell nothing about it."""
        return hmac.new(key.encode(), b"openclaw:" + purpose.encode(), hashlib.sha256).digest()

    def signing_keys(self) -> list[str]:
        """Django's SECRET_KEY followed by its fallbacks."""
        return [self.derived_key("signing", key).hex() for key in self.keys]

    def encryption_keys(self) -> list[str]:
        """Fernet keys; the first encrypts, all decrypt."""
        return [
            base64.urlsafe_b64encode(self.derived_key("encryption", key)).decode()
            for key in self.keys
        ]


def gateway_settings_load() -> GatewaySettings:
    """Reads the environment and the home folder; makes the folder and missing secrets.

    Raises EnvironmentInvalid, naming the variable, when something cannot be used.
    """
    home = home_open(home_path())
    redis_url, broker_url, embedded = _redis_addresses(home)
    return GatewaySettings(
        home=home,
        bind=_bind(),
        port=env_number("OPENCLAW_PORT", DEFAULT_PORT, low=1, high=65535),
        model=env_text("OPENCLAW_MODEL"),
        public_url=env_url("OPENCLAW_PUBLIC_URL", ("http", "https")),
        extra_hosts=env_words("OPENCLAW_ALLOWED_HOSTS"),
        redis_url=redis_url,
        broker_url=broker_url,
        redis_embedded=embedded,
        gateway_token=_gateway_token(home),
        keys=_root_keys(home),
    )


def _bind() -> str:
    bind = env_text("OPENCLAW_BIND", "127.0.0.1")
    if bind != "localhost":
        try:
            ipaddress.ip_address(bind)
        except ValueError as exc:
            raise EnvironmentInvalid(
                f"OPENCLAW_BIND must be an IP address such as 127.0.0.1 or 0.0.0.0, not {bind!r}"
            ) from exc
    return bind


def _redis_addresses(home: Path) -> tuple[str, str, bool]:
    given = env_url("REDIS_URL", ("redis", "rediss", "unix"))
    if given is None:
        path = redis_socket_path(home)
        return f"unix://{path}", f"redis+socket://{path}", True
    if given.scheme != "unix":
        return given.geturl(), given.geturl(), False
    # geturl() would drop the slashes of an empty host, without which no client takes the address.
    rest = f"//{given.path}" + (f"?{given.query}" if given.query else "")
    # Celery's name for a Unix socket is another one than redis-py's.
    return f"unix:{rest}", f"redis+socket:{rest}", False


def _gateway_token(home: Path) -> str:
    token = env_text("OPENCLAW_GATEWAY_TOKEN")
    if not token:
        return secret_keep(home / "gateway.token", lambda: secrets.token_urlsafe(32))
    if len(token) < _SHORTEST_TOKEN and _bind_is_open():
        raise EnvironmentInvalid(
            f"OPENCLAW_GATEWAY_TOKEN must have at least {_SHORTEST_TOKEN} characters when "
            "OPENCLAW_BIND is not a loopback address"
        )
    return token


def _bind_is_open() -> bool:
    bind = _bind()
    return bind != "localhost" and not ipaddress.ip_address(bind).is_loopback


def _root_keys(home: Path) -> tuple[str, ...]:
    given = env_words("OPENCLAW_SECRET_KEYS")
    if any(len(key) < _SHORTEST_KEY for key in given):
        raise EnvironmentInvalid(
            f"OPENCLAW_SECRET_KEYS: every key must have at least {_SHORTEST_KEY} characters"
        )
    # One key a line, the newest first: a key is rotated in the file as in the variable.
    return given or tuple(secret_keep(home / "secret.key", lambda: secrets.token_hex(32)).split())
