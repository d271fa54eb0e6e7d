"""Where a key may be sent: each only to the address that it was put in for."""

from __future__ import annotations

from urllib.parse import urlsplit

from agents.catalog.environment import environment_provider
from agents.catalog.known_providers import KNOWN_PROVIDERS
from agents.config.selectors import text_resolve


def environment_fits(provider: str, base_url: str) -> bool:
    """Whether the environment's key for `provider` may go to `base_url`.

    To the service's own host and to the environment's address, never to one that a row names:
    it may be somebody else's. Local services and those without a fixed address take it anywhere.
    """
    known = KNOWN_PROVIDERS.get(provider)
    if known is None:
        return False
    if not base_url or not known.base_url or known.is_local:
        return True
    own = environment_provider(provider).base_url
    if own and base_url.rstrip("/") == own:
        return True
    return _host(base_url) == _host(known.base_url)


def row_key_fits(provider: str, row_address: str, base_url: str) -> bool:
    """Whether the key of a provider's row may go to `base_url`.

    Not to the service's own address when the row leads elsewhere: the model is then called there
    because the environment's key was found first.
    """
    known = KNOWN_PROVIDERS.get(provider)
    if known is None or not row_address or not known.base_url:
        return True
    if environment_provider(provider).base_url:
        return True
    return base_url != known.base_url or text_resolve(row_address).rstrip("/") == known.base_url


def _host(address: str) -> tuple[str, str]:
    url = urlsplit(address)
    return url.scheme, url.netloc.lower()
