"""Which credential an agent uses for a model, why, and what an owner can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.catalog.listing import models_list
from agents.core.errors import PolicyDenied, UserError
from agents.credentials.explanation import Explanation, Line, credential_explain
from agents.credentials.services import credential_lift, profile_switch
from agents.selectors import agents_list
from channels_app.pages.door import PageRequest, page, page_render
from channels_app.pages.wording import duration

_KINDS = {"used": "ok", "next": "none", "rests": "warn", "refused": "bad", "passed": "none"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line as the page shows it. `rest` is how long it rests yet, "" when it does not."""

    line: Line
    kind: str
    rest: str


@page
@require_GET
def credentials(request: PageRequest) -> HttpResponse:
    """The answer for the agent and model that were asked for, else for the default ones."""
    agent = request.GET.get("agent", "").strip()
    model = request.GET.get("model", "").strip()
    context: dict[str, Any] = {
        "nav": "credentials",
        "agents": agents_list(),
        "model_names": [one.ref for one in models_list()],
        "question": {"agent": agent, "model": model},
    }
    try:
        explained = credential_explain(agent=agent, model=model)
    except UserError as error:
        context["problem"] = error.message
        return page_render(request, "pages/credentials.html", context, status=error.status)
    context |= {"explained": explained, "kind": _kind(explained), "layers": _layers(explained)}
    return page_render(request, "pages/credentials.html", context)


def _kind(explained: Explanation) -> str:
    return "ok" if explained.winner is not None else "bad"


def _layers(explained: Explanation) -> list[dict[str, Any]]:
    return [
        {"layer": layer, "rows": [_row(line) for line in layer.lines]} for layer in explained.layers
    ]


def _row(line: Line) -> Row:
    rest = ""
    if line.ends is not None:
        seconds = max(0.0, (line.ends - timezone.now()).total_seconds())
        rest = _("Tried again in %(time)s.") % {"time": duration(seconds * 1000)}
    return Row(line, _KINDS[line.standing], rest)


@page
@require_POST
def credential_retry(request: PageRequest) -> HttpResponse:
    """Ends every rest of a credential; owners only."""
    _owners_only(request)
    name = request.POST.get("name", "")
    credential_lift(credential=name)
    messages.success(request, _("%(name)s is tried again from now on.") % {"name": name})
    return _back(request)


@page
@require_POST
def credential_switch(request: PageRequest) -> HttpResponse:
    """Takes a stored credential into use or out of it; owners only."""
    _owners_only(request)
    name, enabled = request.POST.get("name", ""), request.POST.get("to") == "on"
    try:
        profile_switch(name=name, enabled=enabled)
    except UserError as error:
        messages.error(request, error.message)
        return _back(request)
    text = _("%(name)s is in use again.") if enabled else _("%(name)s is switched off.")
    messages.success(request, text % {"name": name})
    return _back(request)


def _owners_only(request: PageRequest) -> None:
    if not request.principal.is_owner:
        raise PolicyDenied(_("Only an owner may do this."))


def _back(request: PageRequest) -> HttpResponse:
    """The same question again."""
    asked = {name: request.POST.get(name, "") for name in ("agent", "model")}
    query = urlencode({name: value for name, value in asked.items() if value})
    return HttpResponseRedirect(f"{reverse('credentials')}?{query}")
