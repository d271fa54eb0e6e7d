"""Django's view of the composing package: its commands and error pages."""

from __future__ import annotations

from django.apps import AppConfig

from sessions.wake import BELLS


class SiteConfig(AppConfig):
    """Holds no tables; it stands above all other apps and gives them what they cannot import."""

    name = "openclaw_site"

    def ready(self) -> None:
        """Hangs the task queue's bell where services ring it. Celery is imported on first use."""
        BELLS.register("celery", "openclaw_site.celery:ring")
