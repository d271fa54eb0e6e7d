"""The `browser` section of the configuration document (runtime.md 4.5)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.issues import Findings
from agents.config.registry import section
from agents.config.schema import Kept, Strict
from agents.config.section import Section
from tools.web.settings import SsrfPolicy

# What refusals name as the place of the rule.
POLICY_KEY = "browser.ssrfPolicy"


def _absolute(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError(_("must be an absolute path such as /usr/bin/chromium"))
    return value


class SnapshotDefaults(Strict):
    """What a snapshot is when its call does not say so; `efficient` is a short one."""

    mode: Literal["efficient"] | None = None


class BrowserDocument(Strict):
    """The whole section. An empty `executable_path` means the first Chromium on the PATH."""

    enabled: bool = True
    headless: bool = True
    no_sandbox: bool = False
    executable_path: Annotated[str, Field(max_length=1_000), AfterValidator(_absolute)] = ""
    evaluate_enabled: bool = True
    ssrf_policy: SsrfPolicy = SsrfPolicy()
    snapshot_defaults: SnapshotDefaults = SnapshotDefaults()

    attach_only: Kept = None
    cdp_url: Kept = None
    cdp_port_range_start: Kept = None
    color: Kept = None
    default_profile: Kept = None
    extra_args: Kept = None
    profiles: Kept = None
    remote_cdp_handshake_timeout_ms: Kept = None
    remote_cdp_timeout_ms: Kept = None
    tab_cleanup: Kept = None


class BrowserSection(Section[BrowserDocument]):
    """Warns of what makes the browser less safe than it could be."""

    def check(self, typed: BrowserDocument, findings: Findings) -> None:
        """Pages of strangers run programs in this browser."""
        policy = typed.ssrf_policy
        if policy.allow_private_network or policy.dangerously_allow_private_network:
            text = _("every page may now reach what is inside this network")
            findings.warn(self.path("ssrfPolicy", "allowPrivateNetwork"), text)
        if typed.no_sandbox:
            text = _("a page that breaks out of the browser has the rights of the worker")
            findings.warn(self.path("noSandbox"), text)


BROWSER = BrowserSection("browser", BrowserDocument)


def browser_settings() -> BrowserDocument:
    """The settings in force. Queries nothing when they were read a moment ago."""
    found: Any = section("browser")
    assert isinstance(found, BrowserDocument)  # noqa: S101 - for the type checker
    return found
