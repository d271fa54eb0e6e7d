"""What the rows say about credentials, read once and remembered in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils.crypto import salted_hmac

from agents.config.cache import cached
from agents.config.redaction import unseal
from agents.config.sections.auth import LISTED
from agents.config.selectors import text_resolve
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider
from agents.secrets import secret_open

log = structlog.get_logger(__name__)

_FIELDS = ("name", "provider", "agent", "mode", "data", "position", "enabled")
_FINGERPRINT = 16


@dataclass(frozen=True, slots=True)
class Stored:
    """One AuthProfile. `secret` may hold ${REFERENCES}; `readable` is false when it cannot be
    decrypted. `is_config_key`: it is what `models.providers.<provider>.apiKey` shows.
    """

    name: str
    provider: str
    agent: str
    mode: str
    data: Mapping[str, Any]
    position: int
    enabled: bool
    secret: str = field(default="", repr=False)
    readable: bool = True
    has_refresh: bool = False
    is_config_key: bool = False


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """What a provider's row says: its address and `auth` mode, and a key kept elsewhere."""

    base_url: str = ""
    auth: str = ""
    key_reference: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vault:
    """Everything that is stored, by provider and by name."""

    by_provider: Mapping[str, tuple[Stored, ...]]
    by_name: Mapping[str, Stored]
    providers: Mapping[str, ProviderFacts]


def vault() -> Vault:
    """The stored credentials; read anew when a row changed anywhere, or after ten seconds."""
    return cached("credential_vault", _read)


def profiles_go_first(provider: str) -> bool:
    """Whether a usable stored credential stands before the environment's key (layer 3)."""
    rows = vault().by_provider.get(provider, ())
    return any(
        row.enabled and row.readable and (row.secret or row.has_refresh) and not row.is_config_key
        for row in rows
    )


def config_key_name(provider: str) -> str:
    """The row that `models.providers.<provider>.apiKey` is kept in."""
    return f"{provider}:default"


def fingerprint(key: str) -> str:
    """Tells keys apart without telling them: 16 hex digits, "" for no key."""
    if not key:
        return ""
    return salted_hmac("agents.credentials", key, algorithm="sha256").hexdigest()[:_FINGERPRINT]


def _read() -> Vault:
    # A provider that is switched off keeps its key as the document shows it.
    rows = Provider.objects.values_list("name", "base_url", "settings")
    providers = {name: _facts(address, settings) for name, address, settings in rows}
    by_name: dict[str, Stored] = {}
    by_provider: dict[str, list[Stored]] = {}
    # The text as it is stored: one row that cannot be decrypted must not hide the others.
    sealed = AuthProfile.objects.annotate(
        sealed=Cast("secret", TextField()), sealed_refresh=Cast("refresh", TextField())
    )
    for row in sealed.values(*_FIELDS, "sealed", "sealed_refresh"):
        stored = _stored(row, providers)
        by_name[stored.name] = stored
        by_provider.setdefault(stored.provider, []).append(stored)
    return Vault(
        by_provider={name: tuple(found) for name, found in by_provider.items()},
        by_name=by_name,
        providers=providers,
    )


def _facts(address: str, settings: Mapping[str, Any]) -> ProviderFacts:
    reference = settings.get("apiKey")
    return ProviderFacts(
        base_url=address,
        auth=str(settings.get("auth") or ""),
        key_reference=unseal(reference) if isinstance(reference, dict) else {},
    )


def _stored(row: dict[str, Any], providers: Mapping[str, ProviderFacts]) -> Stored:
    sealed, refresh = row.pop("sealed"), row.pop("sealed_refresh")
    provider = row["provider"]
    try:
        secret, readable = secret_open(sealed=sealed), True
    except UserError:
        log.error("credential_unreadable", provider=provider, credential=row["name"])
        secret, readable = "", False
    return Stored(
        **row,
        secret=secret,
        readable=readable,
        has_refresh=bool(refresh),
        is_config_key=row["name"] == config_key_name(provider)
        and row["mode"] == AuthProfile.Mode.API_KEY
        and provider in providers
        and not row["data"].get(LISTED),
    )


def stored_key(stored: Stored) -> str:
    """The key itself, references replaced; "" when a variable is not set.

    Without the spaces and line ends that come along when a key is copied.
    """
    return text_resolve(stored.secret).strip()
