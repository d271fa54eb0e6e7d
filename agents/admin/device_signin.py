"""Signing in to GitHub Copilot from the admin: a code, a page of GitHub, and waiting for both."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, WAITS, RecordAdmin, Shown, column, page_response
from agents.admin.fields import TextInput
from agents.admin.wording import ago
from agents.catalog.known_providers import COPILOT
from agents.core.errors import OpenClawError
from agents.credentials.copilot import device_signin_poll, device_signin_start
from agents.models import AuthProfile, DeviceSignIn

_COLOURS = {"waiting": WAITS, "done": GOOD, "expired": BAD, "denied": BAD, "failed": BAD}


class StartForm(forms.Form):
    """What the new credential is called."""

    profile = forms.CharField(
        label=gettext_lazy("Name of the credential"),
        max_length=120,
        required=False,
        widget=TextInput(),
        help_text=gettext_lazy("Empty for github-copilot:default. A known one is renewed."),
    )


@admin.register(DeviceSignIn)
class DeviceSignInAdmin(RecordAdmin):
    """Sign-ins that were begun, and the door to a new one."""

    list_display = ("user_code", "provider", "profile", "standing", "begun")
    list_filter = ("state",)
    search_fields = ("provider", "profile")
    list_defer = ("device_code",)
    fields = ("provider", "profile", "user_code", "address", "state", "detail", "expires_at")
    change_list_template = "admin/agents/devicesignin/change_list.html"

    def get_urls(self) -> list[Any]:
        """The two pages of a sign-in before the page of a record."""
        start = self.admin_site.admin_view(self.start_view)
        wait = self.admin_site.admin_view(self.wait_view)
        return [
            path("start/", start, name="agents_devicesignin_start"),
            path("<int:pk>/wait/", wait, name="agents_devicesignin_wait"),
            *super().get_urls(),
        ]

    def start_view(self, request: HttpRequest) -> HttpResponse:
        """Asks for a name, then for a code, then goes on to the waiting page."""
        self._admit(request)
        form = StartForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                signin = device_signin_start(profile=form.cleaned_data["profile"])
            except OpenClawError as error:
                messages.error(request, error.message)
            else:
                address = reverse("admin:agents_devicesignin_wait", args=[signin.pk])
                return HttpResponseRedirect(address)
        context = {"title": _("Sign in to GitHub Copilot"), "form": form}
        return page_response(self, request, "admin/agents/devicesignin/start.html", context)

    def wait_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Shows the code; asks GitHub when that is due, and comes again until it is over."""
        self._admit(request)
        signin = DeviceSignIn.objects.filter(pk=pk).first()
        if signin is None:
            raise Http404
        signin = device_signin_poll(signin=signin)
        profile = AuthProfile.objects.filter(name=signin.profile).only("pk").first()
        context = {
            "title": _("Sign in to GitHub Copilot"),
            "signin": signin,
            "waiting": signin.state == DeviceSignIn.State.WAITING,
            "done": signin.state == DeviceSignIn.State.DONE,
            "credential": profile,
            "provider": COPILOT,
        }
        response = page_response(self, request, "admin/agents/devicesignin/wait.html", context)
        if context["waiting"]:
            response["Refresh"] = str(signin.interval)
        return response

    def _admit(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied

    @column(gettext_lazy("state"), label=_COLOURS)
    def standing(self, signin: DeviceSignIn) -> tuple[str, str]:
        """How it stands."""
        return signin.state, str(DeviceSignIn.State(signin.state).label)

    @column(gettext_lazy("begun"), order="created_at")
    def begun(self, signin: DeviceSignIn) -> Shown:
        """How long ago."""
        return ago(signin.created_at)
