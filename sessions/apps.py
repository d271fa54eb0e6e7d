"""Django's view of this package."""

from __future__ import annotations

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    """The label differs from the package because django.contrib.sessions owns "sessions"."""

    name = "sessions"
    label = "agent_sessions"
