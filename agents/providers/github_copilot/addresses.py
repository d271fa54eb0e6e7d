"""Where GitHub is, and what its Copilot wants to hear from a client."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from agents.core.errors import UserError

# Another GitHub: https://COMPANY.ghe.com, or a server on loopback.
URL_VARIABLE = "COPILOT_GITHUB_URL"
_GITHUB = "https://github.com"
# The public client of GitHub's own Copilot plugins; Copilot gives tokens to no other.
CLIENT_ID = "Iv1.b507a08c87ecfe98"
CLIENT_VARIABLE = "COPILOT_CLIENT_ID"
# Where chat is when neither configuration nor token says so.
DEFAULT_ENDPOINT = "https://api.individual.githubcopilot.com"

# The service refuses clients that do not name an editor it knows.
EDITOR_HEADERS = {
    "Editor-Version": "vscode/1.107.0",
    "Editor-Plugin-Version": "copilot-chat/0.35.0",
    "Copilot-Integration-Id": "vscode-chat",
    "User-Agent": "GitHubCopilotChat/0.35.0",
}


@dataclass(frozen=True, slots=True)
class GithubAddresses:
    """The three addresses of the sign-in."""

    device: str
    access: str
    token: str


def github_addresses(url: str = "") -> GithubAddresses:
    """Those of `url`, of COPILOT_GITHUB_URL, or of github.com.

    Raises UserError for anything but https (http is taken on this machine only): tokens pass.
    """
    base = (url or os.environ.get(URL_VARIABLE, "").strip() or _GITHUB).rstrip("/")
    if not address_is_safe(base):
        text = (
            f"The address of GitHub must begin with https://, not {base}; correct {URL_VARIABLE}."
        )
        raise UserError(text)
    parts = urlsplit(base)
    # The API has a host of its own, except where everything is on one machine.
    api = base if _is_loopback(parts.hostname or "") else f"https://api.{parts.netloc}"
    return GithubAddresses(
        device=f"{base}/login/device/code",
        access=f"{base}/login/oauth/access_token",
        token=f"{api}/copilot_internal/v2/token",
    )


def client_id() -> str:
    """The OAuth client that signs people in."""
    return os.environ.get(CLIENT_VARIABLE, "").strip() or CLIENT_ID


def address_is_safe(address: str) -> bool:
    """Whether tokens may be sent there: over TLS, or on this machine."""
    try:
        url = urlsplit(address)
        host = url.hostname or ""
    except ValueError:
        return False
    return bool(host) and (url.scheme == "https" or (url.scheme == "http" and _is_loopback(host)))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
