"""Which tools somebody would have somewhere, and the rule that took each of the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from agents.catalog.listing import models_list
from agents.core.errors import PolicyDenied, UserError
from agents.selectors import agents_list
from channels_app.pages.door import PageRequest, page, page_render
from sessions.models import Person
from sessions.selectors import sessions_list
from sessions.tool_policy import PolicyExplanation, ToolLine, policy_explain
from tools.policy.prefilters import CHANNEL_ALLOWS, CHANNEL_DENIES

SHOWN = (
    ("", gettext_lazy("all")),
    ("kept", gettext_lazy("kept")),
    ("removed", gettext_lazy("removed")),
)
# As many names as a list of suggestions is of use with.
_SUGGESTIONS = 100
_FIELDS = ("agent", "session", "sender", "channel", "model")


@page
@require_GET
def policy(request: PageRequest) -> HttpResponse:
    """The answer for what was asked, else for this owner and the default agent; owners only."""
    if not request.principal.is_owner:
        raise PolicyDenied(_("Only an owner may see the rules for tools."))
    question = {name: request.GET.get(name, "").strip() for name in _FIELDS}
    shown = {name: request.GET.get(name, "").strip() for name in ("show", "find")}
    sandboxed = request.GET.get("sandboxed") == "on"
    context: dict[str, Any] = {
        "nav": "policy",
        "question": {**question, "sandboxed": sandboxed},
        "shown": shown,
        "choices": SHOWN,
        "is_filtered": any(shown.values()),
        **_suggestions(request),
    }
    try:
        explained = policy_explain(principal=request.principal, sandboxed=sandboxed, **question)
    except UserError as error:
        context["problem"] = error.message
        return page_render(request, "pages/policy.html", context, status=error.status)
    context |= {"explained": explained, "tools": list(_tools(explained, **shown))}
    return page_render(request, "pages/policy.html", context)


def _tools(explained: PolicyExplanation, *, show: str, find: str) -> Iterator[ToolLine]:
    """The tools that the filter leaves; `find` looks at names, plugins, layers and rules."""
    wanted = find.lower()
    for tool in explained.tools:
        words = " ".join((tool.name, tool.plugin, tool.layer, tool.rule)).lower()
        if wanted in words and (show not in ("kept", "removed") or tool.kept == (show == "kept")):
            yield tool


def _suggestions(request: PageRequest) -> dict[str, Any]:
    sessions = sessions_list(principal=request.principal, limit=_SUGGESTIONS)
    return {
        "agents": agents_list(),
        "model_names": [one.ref for one in models_list()],
        "people": Person.objects.values_list("name", flat=True)[:_SUGGESTIONS],
        "session_keys": [session.key for session in sessions],
        "channels": sorted({"web", *CHANNEL_ALLOWS, *CHANNEL_DENIES}),
    }
