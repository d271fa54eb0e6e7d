"""Which search services there are and which one answers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.core.registry import Registry
from tools.web.backends.backend import Endpoint, SearchBackend
from tools.web.settings import BackendSettings, SearchSettings, secret_text

# In order of preference, for when the configuration names none.
SEARCH_BACKENDS: Registry[SearchBackend] = Registry("search service")
SEARCH_BACKENDS.register("brave", "tools.web.backends.brave:BRAVE")
SEARCH_BACKENDS.register("searxng", "tools.web.backends.searxng:SEARXNG")
SEARCH_BACKENDS.register("tavily", "tools.web.backends.tavily:TAVILY")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The service that answers; with `problem` there is none, and it says why."""

    backend: SearchBackend | None = None
    endpoint: Endpoint | None = None
    problem: str = ""


def backend_choose(settings: SearchSettings) -> Chosen:
    """The configured service, else the first one that has what it needs."""
    if not settings.enabled:
        return Chosen(problem=_("switched off (tools.web.search.enabled)"))
    name = settings.provider
    if name and name not in SEARCH_BACKENDS:
        known = ", ".join(SEARCH_BACKENDS.names())
        values = {"name": name, "known": known}
        return Chosen(problem=_("no search service %(name)s; known are %(known)s") % values)
    for candidate in [name] if name else SEARCH_BACKENDS.names():
        backend = SEARCH_BACKENDS.get(candidate)
        endpoint = backend_endpoint(backend, settings)
        if endpoint is not None:
            return Chosen(backend, endpoint)
        if name:
            return Chosen(problem=missing(backend))
    return Chosen(problem=_("no search service has a key or an address"))


def backend_endpoint(backend: SearchBackend, settings: SearchSettings) -> Endpoint | None:
    """Where `backend` is and its key; None when something is missing.

    The configuration goes before the environment. A key of the environment is only sent to the
    service's own address.
    """
    stated = getattr(settings, backend.name, None)
    own = stated if isinstance(stated, BackendSettings) else BackendSettings()
    base_url = own.base_url or _variable(backend.address_variable) or backend.address
    key = secret_text(own.api_key)
    if not key and settings.provider == backend.name:
        key = secret_text(settings.api_key)
    if not key and base_url.rstrip("/") == backend.address:
        key = _variable(backend.key_variable)
    if not base_url or (backend.key_variable and not key):
        return None
    return Endpoint(base_url.rstrip("/"), key)


def missing(backend: SearchBackend) -> str:
    """What to set so that `backend` can be used."""
    path = f"tools.web.search.{backend.name}"
    key = f"{path}.apiKey" if backend.key_variable else f"{path}.baseUrl"
    values = {"key": key, "variable": backend.key_variable or backend.address_variable}
    return _("set %(key)s or %(variable)s") % values


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip() if name else ""
