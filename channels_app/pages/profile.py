"""What people set for themselves."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from agents.core.errors import UserError
from channels_app.pages.door import PageRequest, page, page_render, theme_remember
from channels_app.pages.forms import ProfileForm, password_form
from sessions.people import person_update

_SHOWN = ("name", "zone", "language", "theme")


@page
@require_http_methods(["GET", "POST"])
def profile(request: PageRequest) -> HttpResponse:
    """Shows and saves name, zone, language and theme."""
    person = request.person
    initial = {field: getattr(person, field) for field in _SHOWN}
    form = ProfileForm(request.POST or None, initial=initial)
    if not form.is_valid():
        return _render(request, form, status=400 if form.is_bound else 200)
    try:
        person_update(person=person, **form.cleaned_data)
    except UserError as error:
        form.add_error(None, error.message)
        return _render(request, form, status=error.status)
    messages.success(request, _("Your profile is saved."))
    response = redirect("profile")
    theme_remember(response, theme=person.theme, secure=settings.SESSION_COOKIE_SECURE)
    return response


@page
@require_POST
def theme_save(request: PageRequest) -> HttpResponse:
    """Saves the theme alone: the palette switches it without leaving the page."""
    theme = request.POST.get("theme", "")
    person_update(person=request.person, theme=theme)
    response = HttpResponse(status=204)
    theme_remember(response, theme=theme, secure=settings.SESSION_COOKIE_SECURE)
    return response


@sensitive_post_parameters()
@page
@require_POST
def profile_password(request: PageRequest) -> HttpResponse:
    """Saves a new password; this browser stays signed in, others do not."""
    form = password_form(request.user, request.POST)
    if not form.is_valid():
        initial = {field: getattr(request.person, field) for field in _SHOWN}
        return _render(request, ProfileForm(initial=initial), passwords=form, status=400)
    form.save()
    update_session_auth_hash(request, request.user)
    messages.success(request, _("Your password is saved."))
    return redirect("profile")


def _render(
    request: PageRequest, form: ProfileForm, *, passwords: object = None, status: int = 200
) -> HttpResponse:
    context = {
        "nav": "profile",
        "form": form,
        "password_form": passwords or password_form(request.user),
    }
    return page_render(request, "pages/profile.html", context, status=status)
