"""The `gateway` section of the configuration document (automation.md 7.3)."""

from __future__ import annotations

import ipaddress
import os
from typing import Any, Literal, cast

from django.conf import settings
from django.utils.translation import gettext as _
from pydantic import Field

from agents.config.issues import Findings
from agents.config.registry import section
from agents.config.schema import Kept, Strict
from agents.config.section import Section

BINDS: tuple[str, ...] = ("auto", "lan", "loopback", "custom", "tailnet")
TOKEN_VARIABLE = "OPENCLAW_GATEWAY_TOKEN"  # noqa: S105 -- a name, not a token
# Characters; what the environment variable must have on an open address too.
SHORTEST_OPEN_TOKEN = 16


class RateLimit(Strict):
    """How many failed sign-ins an address has before it must wait."""

    max_attempts: int = Field(default=10, ge=1)
    window_ms: int = Field(default=60_000, ge=1)
    lockout_ms: int = Field(default=300_000, ge=1)
    exempt_loopback: bool = True


class Auth(Strict):
    """How programs prove that they may connect."""

    mode: Literal["none", "token", "password", "trusted-proxy"] = "token"
    token: str = ""
    rate_limit: RateLimit = RateLimit()
    password: Kept = None
    allow_tailscale: Kept = None
    trusted_proxy: Kept = None


class Endpoint(Strict):
    """One HTTP interface that can be switched off."""

    enabled: bool = True


class Endpoints(Strict):
    """The HTTP interfaces."""

    chat_completions: Endpoint = Endpoint()
    responses: Kept = None


class Http(Strict):
    """What is served over HTTP beside the pages."""

    endpoints: Endpoints = Endpoints()


class GatewayDocument(Strict):
    """The whole section. `bind` is one of BINDS or an IP address."""

    port: int = Field(default=18789, ge=1, le=65535)
    mode: Literal["local", "remote"] = "local"
    bind: str = "loopback"
    custom_bind_host: str = ""
    auth: Auth = Auth()
    http: Http = Http()

    trusted_proxies: Kept = None
    tools: Kept = None
    control_ui: Kept = None
    reload: Kept = None
    tls: Kept = None
    remote: Kept = None
    tailscale: Kept = None
    nodes: Kept = None
    channel_health_check_minutes: Kept = None
    channel_stale_event_threshold_minutes: Kept = None
    channel_max_restarts_per_hour: Kept = None


class GatewaySection(Section[GatewayDocument]):
    """Refuses an open address without a secret; tells what the environment decides instead."""

    def check(self, typed: GatewayDocument, findings: Findings) -> None:
        """Address, authentication and the port that the processes really use."""
        self._check_bind(typed, findings)
        if typed.mode == "remote":
            findings.warn(self.path("mode"), _("has no effect: this gateway always runs here"))
        if typed.auth.mode not in ("token", "none"):
            text = _("%(mode)s is not available yet: the shared token is asked for")
            findings.warn(self.path("auth", "mode"), text % {"mode": typed.auth.mode})
        if typed.auth.token and os.environ.get(TOKEN_VARIABLE):
            text = _("has no effect while %(name)s is set") % {"name": TOKEN_VARIABLE}
            findings.warn(self.path("auth", "token"), text)
        actual = settings.OPENCLAW
        if "port" in typed.model_fields_set and typed.port != actual.port:
            text = _("has no effect: OPENCLAW_PORT decides, and it is %(port)d now")
            findings.warn(self.path("port"), text % {"port": actual.port})
        if is_open(typed) and actual.is_loopback:
            text = _("has no effect: OPENCLAW_BIND decides, and it is %(bind)s now")
            findings.warn(self.path("bind"), text % {"bind": actual.bind})

    def _check_bind(self, typed: GatewayDocument, findings: Findings) -> None:
        path = self.path("bind")
        if typed.bind not in BINDS and _address(typed.bind) is None:
            text = _("must be an IP address or one of %(names)s")
            findings.error(path, text % {"names": ", ".join(BINDS)})
        elif typed.bind == "custom" and _address(typed.custom_bind_host) is None:
            findings.error(self.path("customBindHost"), _("must be an IP address for bind custom"))
        elif is_open(typed):
            self._check_open(typed, findings)

    def _check_open(self, typed: GatewayDocument, findings: Findings) -> None:
        path = self.path("bind")
        if typed.auth.mode == "none":
            text = _("%(bind)s lets other machines connect, so auth.mode must not be none")
            findings.error(path, text % {"bind": typed.bind})
            return
        token = os.environ.get(TOKEN_VARIABLE, "") or typed.auth.token
        if typed.auth.mode != "token" or len(token) >= SHORTEST_OPEN_TOKEN:
            return
        text = _(
            "%(bind)s lets other machines connect: set auth.token or %(name)s to at least "
            "%(length)d characters"
        )
        values = {"bind": typed.bind, "name": TOKEN_VARIABLE, "length": SHORTEST_OPEN_TOKEN}
        findings.error(path, text % values)


def is_open(typed: GatewayDocument) -> bool:
    """Whether other machines could connect to the address that is asked for."""
    if typed.bind in ("loopback", "auto"):
        return False
    name = typed.custom_bind_host if typed.bind == "custom" else typed.bind
    address = _address(name)
    return address is None or not address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def gateway_settings() -> GatewayDocument:
    """The section with its defaults."""
    return cast(GatewayDocument, section("gateway"))


def shared_token() -> str:
    """The token that programs connect with: the environment's, the document's, or the one that
    was made for this home folder. Cheap; reads the database at most once a second.
    """
    kept: Any = settings.OPENCLAW.gateway_token
    if os.environ.get(TOKEN_VARIABLE, "").strip():
        return str(kept)
    return gateway_settings().auth.token or str(kept)


GATEWAY = GatewaySection("gateway", GatewayDocument)
