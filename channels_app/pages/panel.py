"""The control panel: how everything stands on one page, kept fresh while it is looked at."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.catalog.listing import models_list, provider_in_use
from agents.core.errors import PolicyDenied, UserError
from agents.selectors import agents_list
from agents.services import agent_create
from channels_app.pages.activity import runs_by_hour
from channels_app.pages.attention import attention_list
from channels_app.pages.door import PageRequest, page, page_render
from channels_app.pages.forms import AgentForm
from channels_app.pages.health import health_parts
from channels_app.pages.runs import run_row
from sessions.budgets.selectors import budgets_standing
from sessions.run_selectors import active_runs, runs_list
from sessions.selectors import sessions_list
from sessions.stops import everything_resume, everything_stop, everything_stopped

SHOWN = 8


@page
@require_GET
def panel(request: PageRequest) -> HttpResponse:
    """The whole page."""
    return _render(request, AgentForm())


@page
@require_GET
def panel_live(request: PageRequest) -> HttpResponse:
    """The part that changes; 304 while it has not."""
    response = page_render(request, "pages/panel_live.html", _live(request))
    tag = f'"{hashlib.sha256(response.content).hexdigest()[:24]}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    response["ETag"] = tag
    return response


@page
@require_POST
def agent_add(request: PageRequest) -> HttpResponse:
    """Makes an agent; owners only."""
    _owners_only(request)
    form = AgentForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=400)
    try:
        agent = agent_create(**form.cleaned_data)
    except UserError as error:
        form.add_error(None, error.message)
        return _render(request, form, status=error.status)
    messages.success(request, _("The agent %(agent)s is ready.") % {"agent": agent})
    return redirect("panel")


@page
@require_POST
def switch(request: PageRequest) -> HttpResponse:
    """Stops everything or lets it start again; owners only."""
    _owners_only(request)
    by = request.person.name
    if request.POST.get("to") == "stop":
        everything_stop(by=by, reason=request.POST.get("reason", "").strip())
        messages.warning(request, _("Everything is stopped. Messages are kept and wait."))
    else:
        everything_resume(by=by)
        messages.success(request, _("Everything runs again."))
    return redirect("panel")


def _owners_only(request: PageRequest) -> None:
    if not request.principal.is_owner:
        raise PolicyDenied(_("Only an owner may do this."))


def _render(request: PageRequest, form: AgentForm, *, status: int = 200) -> HttpResponse:
    context = _live(request) | {
        "nav": "panel",
        "form": form,
        "model_names": [model.ref for model in models_list()],
    }
    return page_render(request, "pages/panel.html", context, status=status)


def _live(request: PageRequest) -> dict[str, Any]:
    principal = request.principal
    matters = attention_list(principal=principal)
    return {
        "attention_count": len(matters),
        "health": health_parts(),
        "provider": provider_in_use(),
        "is_stopped": everything_stopped(),
        "matters": matters,
        "active": [run_row(run) for run in active_runs(principal=principal)],
        "budgets": budgets_standing(principal=principal),
        "chart": runs_by_hour(principal=principal),
        "rows": [run_row(run) for run in runs_list(principal=principal, limit=SHOWN)],
        "sessions": sessions_list(principal=principal, limit=SHOWN),
        "agents": agents_list(),
    }
