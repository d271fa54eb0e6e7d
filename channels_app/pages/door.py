"""What every page shares: who asks, in which zone and language, and the frame around it."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agents.core.errors import PolicyDenied
from agents.core.principal import WRITE, Principal
from sessions.models import Person
from sessions.people import person_for_user

THEMES = ("light", "dark")
THEME_COOKIE = "theme"
P = ParamSpec("P")


class PageRequest(HttpRequest):
    """A request of a signed-in person."""

    user: User
    person: Person
    principal: Principal


PageView = Callable[Concatenate[PageRequest, P], HttpResponseBase]
PlainView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def page(view: PageView[P]) -> PlainView[P]:
    """A view of a signed-in person, answered in their time zone and language.

    LoginRequiredMiddleware turns everybody else away before.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        request = cast(PageRequest, request)
        person = person_for_user(user=request.user)
        request.person, request.principal = person, person.principal()
        with timezone.override(zone_of(person)), translation.override(person.language):
            return view(request, *args, **kwargs)

    return cast("PlainView[P]", answer)


def writers_only(request: PageRequest) -> None:
    """Raises PolicyDenied for people who may only read."""
    if not request.principal.has_scope(WRITE):
        raise PolicyDenied(_("You may read here, but not write."))


def page_render(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """The page as HTML; never kept by shared or back-button caches, it shows private things."""
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "private, no-cache"
    return response


def zone_of(person: Person) -> zoneinfo.ZoneInfo:
    """The person's time zone, UTC when the stored name is not known on this machine."""
    try:
        return zoneinfo.ZoneInfo(person.zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")


def theme_of(request: HttpRequest) -> str:
    """The theme to write on the page: light, dark, or "" for what the system says."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def theme_remember(response: HttpResponse, *, theme: str, secure: bool) -> None:
    """Keeps the theme in a cookie, so that the next page has it before any script runs."""
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=365 * 86_400, samesite="Lax", secure=secure
        )
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
