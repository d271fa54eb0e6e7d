"""Who spends: the list of model calls, summed up."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin
from agents.admin.filters import WhenFilter, agent_filter
from agents.admin.wording import count, money
from sessions.admin.model_calls import ModelCallAdmin
from sessions.models import ModelCall
from sessions.spending import Spending, spending_list, spending_total

_WORDS = {
    "agent": gettext_lazy("agent"),
    "person": gettext_lazy("person"),
    "model": gettext_lazy("model"),
    "session": gettext_lazy("session"),
    "day": gettext_lazy("day"),
}


class GroupFilter(SimpleListFilter):
    """What is summed up; it leaves no call out."""

    title = gettext_lazy("sum")
    parameter_name = "by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The groups."""
        return list(_WORDS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """All of them."""
        return queryset

    def choices(self, changelist: Any) -> Any:
        """Without "all": the agent is what is summed up by itself."""
        chosen = self.value() or "agent"
        for name, words in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: name})
            yield {"selected": name == chosen, "query_string": query, "display": words}


class SpendingAdmin(RecordAdmin):
    """The page "who spends": filters and dates of a list, sums in place of its rows."""

    list_display = ("model",)
    list_filter = (GroupFilter, WhenFilter, agent_filter("run__agent_slug"), "state")
    date_hierarchy = "started_at"
    change_list_template = "admin/agent_sessions/spending.html"
    # The rows of the list itself are not shown.
    list_per_page = 1

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The sums of what the filters leave."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        response = super().changelist_view(request, {"title": _("Who spends")})
        context = getattr(response, "context_data", None)
        if context is not None and "cl" in context:
            calls: QuerySet[ModelCall] = context["cl"].queryset.select_related(None)
            by = request.GET.get("by", "agent")
            by = by if by in _WORDS else "agent"
            rows = spending_list(calls=calls, by=by)
            context["spending"] = {
                "by": _WORDS[by],
                "groups": list(context["cl"].filter_specs[0].choices(context["cl"])),
                "rows": [_shown(row) for row in rows],
                "total": _shown(spending_total(calls=calls)),
                "is_unpriced": any(row.unpriced for row in rows),
            }
        return response


def _shown(row: Spending) -> dict[str, Any]:
    return {
        "name": row.name or "–",  # noqa: RUF001
        "calls": count(row.calls),
        "runs": count(row.runs),
        "failed": count(row.failed) if row.failed else "",
        "input": count(row.input_tokens),
        "cached": count(row.cache_read_tokens + row.cache_write_tokens),
        "output": count(row.output_tokens),
        "cost": money(row.cost, known=row.cost_known),
        "unpriced": row.unpriced,
        "percent": round(row.share * 100, 1),
    }


def spending_urls(registered: ModelCallAdmin) -> list[Any]:
    """The address of the page, below that of the model calls."""
    page = SpendingAdmin(ModelCall, registered.admin_site)
    view = registered.admin_site.admin_view(page.changelist_view)
    return [path("spending/", view, name="agent_sessions_spending_changelist")]
