"""Every address under `/api/` that is none: answered in the API's own shape."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents.core.errors import NotFound
from channels_app.rest.view import ApiView


@extend_schema(exclude=True)
class UnknownView(ApiView):
    """Tells that there is nothing, whatever the method."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises NotFound, for callers that may know."""
        super().initial(request, *args, **kwargs)
        text = _("There is no %(path)s. Addresses end in a slash; /api/schema/ lists them.")
        raise NotFound(text % {"path": request.path_info})
