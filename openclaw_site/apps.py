"""Django's view of the composing package: its commands and error pages."""

from __future__ import annotations

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Holds no tables and registers nothing; it stands above all other apps."""

    name = "openclaw_site"
