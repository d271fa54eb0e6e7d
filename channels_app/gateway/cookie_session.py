"""The person behind a signed-in browser."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest, parse_cookie

from sessions.models import Person
from sessions.people import person_for_user


def session_cookie(headers: Mapping[str, str]) -> str:
    """The key of Django's session in the Cookie header, "" without one."""
    return parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME, "")


def session_person(*, session_key: str) -> Person | None:
    """Whose session this is; None when it ended, or the user was switched off."""
    if not session_key:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    if not user.is_authenticated or not user.is_active:
        return None
    return person_for_user(user=user)
