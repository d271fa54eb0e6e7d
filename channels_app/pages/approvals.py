"""Questions that wait for a decision: the list, single cards, and the answer."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import OpenClawError
from agents.selectors import agents_list
from channels_app.pages.approval_cards import (
    approval_card,
    approval_cards,
    approvals_waiting,
    page_words,
    state_words,
)
from channels_app.pages.door import PageRequest, page, page_render
from sessions.approvals.selectors import approval_find, approvals_pending, visible_approvals
from sessions.approvals.services import approval_resolve
from sessions.models import Approval

# Ended questions that the page shows; older ones are in the runs they belong to.
HISTORY = 50
# How an answer that was given on a page is recorded.
THROUGH = "web"


@page
@ensure_csrf_cookie
@require_GET
def approvals(request: PageRequest) -> HttpResponse:
    """What waits and what was decided, filtered by agent and state."""
    context = {**_listed(request), "words": page_words()}
    return page_render(request, "pages/approvals.html", context)


@page
@require_GET
def approvals_live(request: PageRequest) -> HttpResponse:
    """The part that changes; 304 while it has not."""
    context = _listed(request)
    shown = [(card.approval.pk, card.word) for card in (*context["cards"], *context["ended"])]
    tag = f'"{hashlib.sha256(repr(shown).encode()).hexdigest()[:24]}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    response = page_render(request, "pages/approvals_live.html", context)
    response["ETag"] = tag
    return response


@page
@require_GET
def waiting(request: PageRequest) -> JsonResponse:
    """How many questions wait, for the badge of an open page."""
    return JsonResponse({"count": approvals_waiting(principal=request.principal)})


@page
@require_GET
def session_cards(request: PageRequest) -> HttpResponse:
    """The cards of one conversation: all that waits there."""
    found = approvals_pending(
        principal=request.principal, session_key=request.GET.get("session", "") or "-"
    )
    context = {"cards": approval_cards(found, request.principal), "back": ""}
    return page_render(request, "parts/approval_cards.html", context)


@page
@require_GET
def approval_one(request: PageRequest, ref: str) -> HttpResponse:
    """One card as it stands now."""
    return _card(request, approval_find(ref=ref, principal=request.principal))


@page
@require_POST
def approval_decide(request: PageRequest, ref: str) -> HttpResponse:
    """An answer. A script gets the card as it stands then, a form goes back to its page."""
    problem = ""
    try:
        decided = approval_resolve(
            ref=ref,
            decision=request.POST.get("decision", ""),
            principal=request.principal,
            through=THROUGH,
        )
    except OpenClawError as error:
        decided = approval_find(ref=ref, principal=request.principal)
        problem = error.message
    if not request.accepts("text/html"):
        return _card(request, decided, problem=problem)
    if problem:
        messages.error(request, problem)
    else:
        messages.success(request, state_words(decided)[1])
    return HttpResponseRedirect(_back(request))


def _card(request: PageRequest, approval: Approval, *, problem: str = "") -> HttpResponse:
    context = {"card": approval_card(approval, request.principal), "problem": problem, "back": ""}
    return page_render(request, "parts/approval_card.html", context)


def _back(request: PageRequest) -> str:
    back = request.POST.get("back", "")
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return back
    return reverse("approvals")


def _listed(request: PageRequest) -> dict[str, Any]:
    filters = {name: request.GET.get(name, "").strip() for name in ("agent", "state")}
    waiting = approvals_pending(principal=request.principal)
    # A question whose time is over is history, also before the sweeper has noted it.
    ended = visible_approvals(request.principal).exclude(pk__in=[one.pk for one in waiting])
    if filters["agent"]:
        waiting = [one for one in waiting if one.agent_slug == filters["agent"]]
        ended = ended.filter(agent_slug=filters["agent"])
    if filters["state"]:
        waiting = waiting if filters["state"] == Approval.State.PENDING else []
        ended = ended.filter(state=filters["state"])
    newest = list(ended.order_by("-created_at", "-id")[:HISTORY])
    return {
        "nav": "approvals",
        "filters": filters,
        "is_filtered": any(filters.values()),
        "query": request.GET.urlencode(),
        "agents": agents_list(),
        "states": Approval.State.choices,
        "cards": approval_cards(waiting, request.principal),
        "ended": approval_cards(newest, request.principal),
        "back": f"{reverse('approvals')}?{request.GET.urlencode()}",
    }
