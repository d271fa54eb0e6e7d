"""The addresses of this app."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("v1/", include("channels_app.openai_api.urls")),
]
