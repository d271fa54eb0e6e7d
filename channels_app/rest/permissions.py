"""What a request may do: every view states the scope of each of its methods."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from agents.core.principal import READ, WRITE
from channels_app.rest.caller import Caller

_SAFE = ("GET", "HEAD", "OPTIONS")


class HasScope(BasePermission):
    """Lets a caller pass that has the scope which the view's `scopes` name for the method.

    A method that is not named needs operator.read when it changes nothing, else operator.write.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the caller has the scope. A 403 names the one that is missing."""
        if not isinstance(request.user, Caller):
            return False
        usual = READ if request.method in _SAFE else WRITE
        wanted = getattr(view, "scopes", {}).get(request.method, usual)
        self.message = _("This needs the scope %(scope)s.") % {"scope": wanted}
        return request.user.principal.has_scope(wanted)
