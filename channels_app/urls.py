"""The addresses of this app."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("api/", include("channels_app.rest.urls")),
    path("v1/", include("channels_app.openai_api.urls")),
    path("", include("channels_app.pages.urls")),
]
