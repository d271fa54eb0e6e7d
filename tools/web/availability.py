"""Whether the tools of the web can be used as things are configured."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.paths import Path
from tools.web.backends.registry import SEARCH_BACKENDS, backend_choose
from tools.web.settings import WebSettings, web_settings


def fetch_problem() -> str:
    """Why there is no web_fetch, "" when there is one."""
    if web_settings().fetch.enabled:
        return ""
    return _("switched off (tools.web.fetch.enabled)")


def search_problem() -> str:
    """Why there is no web_search, "" when there is one."""
    return backend_choose(web_settings().search).problem


def web_check(typed: WebSettings, findings: Findings, path: Path) -> None:
    """Warns of a search service that was named and cannot answer, and of an opened network."""
    search, policy = typed.search, typed.fetch.ssrf_policy
    if search.provider and (problem := backend_choose(search).problem):
        findings.warn((*path, "search", "provider"), problem)
    elif search.api_key and not search.provider:
        text = _("is ignored without provider; known are %(names)s")
        names = ", ".join(SEARCH_BACKENDS.names())
        findings.warn((*path, "search", "apiKey"), text % {"names": names})
    if policy.allow_private_network or policy.dangerously_allow_private_network:
        text = _("every page may now make agents read what is inside this network")
        findings.warn((*path, "fetch", "ssrfPolicy", "allowPrivateNetwork"), text)
