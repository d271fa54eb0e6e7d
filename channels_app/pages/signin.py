"""Signing in: by name and password, by a one-time link, and out again."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from agents.core.errors import UserError
from channels_app.pages.door import page_render, theme_remember
from channels_app.pages.forms import SignInForm
from sessions.people import person_for_user, signin_link_use

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@method_decorator(login_not_required, name="dispatch")
class SignInView(LoginView):
    """Name and password. Somebody who is signed in goes on to the panel."""

    template_name = "pages/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        """The redirect, with the person's theme for the next page."""
        response = super().form_valid(form)
        person = person_for_user(user=form.get_user())
        theme_remember(response, theme=person.theme, secure=settings.SESSION_COOKIE_SECURE)
        return response


class SignOutView(LogoutView):
    """Ends the Django session; POST only."""


@login_not_required
@never_cache
@sensitive_variables("token")
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button, POST uses the link up: a preview of the link must not burn it."""
    template = "pages/sign_in_link.html"
    if request.method == "GET":
        return page_render(request, template, {})
    try:
        person = signin_link_use(token=token)
    except UserError as error:
        return page_render(request, template, {"error": error.message}, status=error.status)
    if person.user is None or not person.user.is_active:
        text = _("This person has no active account; an owner can change that.")
        return page_render(request, template, {"error": text}, status=403)
    login(request, person.user, backend=MODEL_BACKEND)
    response = redirect("chat")
    theme_remember(response, theme=person.theme, secure=settings.SESSION_COOKIE_SECURE)
    return response
