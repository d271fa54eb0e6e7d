"""The admin and its theme as Django apps that cost nothing until the first admin page.

Their usual configurations import every admin module in every process, also in workers.
"""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig


class ThemeConfig(AppConfig):
    """The templates and static files of the theme, without its own admin site."""

    name = "unfold"


class OwnersAdminConfig(SimpleAdminConfig):
    """The admin with our site; `openclaw_site.urls` looks for the admin modules."""

    default_site = "openclaw_site.admin_site.OwnersAdminSite"
