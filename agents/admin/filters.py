"""Filters that keep their address: a link to "today" means today tomorrow as well."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.contrib.admin import SimpleListFilter
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.models import Agent

# Name in the address, words, and how many days it reaches back before today.
_SPANS = {
    "today": (_("today"), 0),
    "yesterday": (_("yesterday"), 1),
    "week": (_("last 7 days"), 6),
    "month": (_("last 30 days"), 29),
}


class WhenFilter(SimpleListFilter):
    """Rows of today, yesterday, the last 7 or 30 days, by the owner's own midnight."""

    title = _("time")
    parameter_name = "when"
    field: ClassVar[str] = "started_at"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The spans."""
        return [(name, words) for name, (words, _days) in _SPANS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows within the chosen span."""
        if self.value() not in _SPANS:
            return queryset
        midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
        start = midnight - timedelta(days=_SPANS[str(self.value())][1])
        found = queryset.filter(**{f"{self.field}__gte": start})
        if self.value() == "yesterday":
            found = found.filter(**{f"{self.field}__lt": midnight})
        return found


def when_filter(field_name: str) -> type[WhenFilter]:
    """A WhenFilter on another column."""
    return type("WhenFilter", (WhenFilter,), {"field": field_name})


class AgentFilter(SimpleListFilter):
    """Rows of one agent, out of the agents that there are now."""

    title = _("agent")
    parameter_name = "agent"
    field: ClassVar[str] = "agent_slug"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every agent."""
        return [(agent.slug, str(agent)) for agent in Agent.objects.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Rows of the chosen one."""
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


def agent_filter(field_name: str) -> type[AgentFilter]:
    """An AgentFilter on another column."""
    return type("AgentFilter", (AgentFilter,), {"field": field_name})
