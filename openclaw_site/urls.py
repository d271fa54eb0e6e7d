"""The addresses of the product: probes, admin, and what each app brings."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from openclaw_site import health

# The pages come last: theirs is the address without a prefix.
_APPS = ("channels_app", "channels_app.openai_api", "channels_app.pages")

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.live),
    path("health", health.live),
    path("readyz", health.ready),
    path("ready", health.ready),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    *(path("", include(f"{app}.urls")) for app in _APPS if find_spec(f"{app}.urls")),
]
