"""Signing in: by name and password, by a one-time link, and out again."""

from __future__ import annotations

from typing import Any

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
from channels_app.gateway.attempts import FailureLimit
from channels_app.pages.door import page_render, theme_remember
from channels_app.pages.forms import SignInForm
from sessions.people import person_for_user, signin_link_use

# The same numbers as for the gateway's shared token: 10 failures a minute, then 5 minutes.
_FAILURES = FailureLimit(attempts=10, window=60.0, lockout=300.0)
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@method_decorator(login_not_required, name="dispatch")
class SignInView(LoginView):
    """Name and password. Somebody who is signed in goes on to the panel."""

    template_name = "pages/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Checks the password unless this name failed too often from this address."""
        if wait := _FAILURES.wait_seconds(self._who()):
            form = self.get_form_class()(request)
            minutes = max(1, round(wait / 60))
            text = _("Too many failed attempts. Try again in %(n)s min.") % {"n": minutes}
            context = self.get_context_data(form=form, locked=text)
            return self.render_to_response(context, status=429)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        """The form again; the failure counts."""
        _FAILURES.failed(self._who())
        return super().form_invalid(form)

    def _who(self) -> str:
        name = self.request.POST.get("username", "").casefold()[:150]
        return f"{self.request.META.get('REMOTE_ADDR', '')} {name}"

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        """The redirect, with the person's theme for the next page."""
        _FAILURES.succeeded(self._who())
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
