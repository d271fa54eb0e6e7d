"""The admin site: owners only, with the product's own sign-in, in the owner's zone and language."""

from __future__ import annotations

from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from agents.core.errors import PolicyDenied
from channels_app.pages.door import zone_of
from sessions.models import Person
from sessions.people import person_for_user

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite
else:
    from unfold.sites import UnfoldAdminSite as AdminSite


class OwnersAdminSite(AdminSite):
    """Lets active owners in, whatever Django's own permissions say."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the signed-in person is an owner."""
        return bool(request.user.is_active) and _person(request).is_owner

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """The protected view, answered in the owner's time zone and language."""
        protected = super().admin_view(view, cacheable)

        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if not request.user.is_authenticated:
                return protected(request, *args, **kwargs)
            person = _person(request)
            with timezone.override(zone_of(person)), translation.override(person.language):
                response = protected(request, *args, **kwargs)
                # Templates are filled in later, when zone and language are gone.
                render = getattr(response, "render", None)
                return render() if render is not None else response

        return update_wrapper(answer, view)

    @method_decorator(never_cache)
    @login_not_required
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Sends people to the one sign-in page. Who is signed in and no owner is refused."""
        index = reverse("admin:index", current_app=self.name)
        if not request.user.is_authenticated:
            return redirect_to_login(request.GET.get("next", index), settings.LOGIN_URL)
        if not self.has_permission(request):
            raise PolicyDenied(_("The administration is for owners."))
        return redirect(index)


def _person(request: HttpRequest) -> Person:
    """The Person of the signed-in user, read once a request."""
    user: Any = request.user
    person: Person | None = getattr(user, "person", None)
    return person or person_for_user(user=user)
