"""The addresses of the product: probes, admin, and what the apps bring."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from openclaw_site import health

# Here and not when Django starts: workers have no admin.
admin.autodiscover()

urlpatterns = [
    path("healthz", health.live),
    path("health", health.live),
    path("readyz", health.ready),
    path("ready", health.ready),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("channels_app.urls")),
]
