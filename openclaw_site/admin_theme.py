"""The look of the admin: the product's own neutrals, accent and type, in the theme's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.http import HttpRequest

# The same warm grey and coral as in channels_app/static/css/tokens.css, spread over the eleven
# steps that the theme asks for.
_GREY = {
    "50": "oklch(97.6% .003 80)",
    "100": "oklch(95.4% .004 80)",
    "200": "oklch(91.5% .005 80)",
    "300": "oklch(86.5% .006 78)",
    "400": "oklch(71% .008 72)",
    "500": "oklch(54% .009 66)",
    "600": "oklch(45% .009 64)",
    "700": "oklch(36% .008 62)",
    "800": "oklch(28.5% .006 60)",
    "900": "oklch(20% .005 60)",
    "950": "oklch(16% .005 60)",
}
_CORAL = {
    "50": "oklch(97.6% .012 25)",
    "100": "oklch(95.5% .022 25)",
    "200": "oklch(90% .05 25)",
    "300": "oklch(83% .09 25)",
    "400": "oklch(75% .135 25)",
    "500": "oklch(70% .16 25)",
    "600": "oklch(55% .19 26)",
    "700": "oklch(50% .18 26)",
    "800": "oklch(43% .15 26)",
    "900": "oklch(37% .11 26)",
    "950": "oklch(29% .055 25)",
}


def _asset(path: str) -> Callable[[HttpRequest], str]:
    def address(_request: HttpRequest) -> str:
        # Settings import this module, and must not load templates.
        from django.templatetags.static import static

        return static(path)

    return address


_ICON = _asset("icons/favicon.svg")

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "OpenClaw",
    "SITE_HEADER": "OpenClaw",
    "SITE_SUBHEADER": _("Administration"),
    "SITE_URL": "/",
    "SITE_ICON": _ICON,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _ICON}],
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {"base": _GREY, "primary": _CORAL},
    "STYLES": [_asset("openclaw_site/admin.css")],
    "DASHBOARD_CALLBACK": "openclaw_site.admin_dashboard.dashboard",
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": "openclaw_site.admin_navigation.navigation",
    },
}
