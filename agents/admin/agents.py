"""Agents: who they are."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import CharField, QuerySet, Value
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.agent_form import AgentForm
from agents.admin.base import GOOD, OperatorAdmin, Shown, column, is_list
from agents.admin.wording import UNKNOWN, ago
from agents.catalog.resolve import default_model_ref
from agents.core.errors import UserError
from agents.models import Agent
from agents.services import agent_create, agent_delete, agent_update


def inherited_model() -> str:
    """The model of agents that name none, a dash when a stored key cannot be opened."""
    try:
        return default_model_ref()
    except UserError:
        return UNKNOWN


@admin.register(Agent)
class AgentAdmin(OperatorAdmin):
    """Who the agents are."""

    form = AgentForm
    list_display = ("named", "standing", "model_used", "workspace", "changed")
    list_filter = ("enabled",)
    search_fields = ("slug", "name", "model", "workspace")
    list_defer = ("system_prompt", "settings")
    ordering = ("-is_default", "slug")
    actions = ("switch_off", "switch_on")
    fieldsets = (
        (None, {"fields": (("slug", "name"), ("is_default", "enabled"))}),
        (gettext_lazy("Model"), {"fields": ("model", "fallbacks", "thinking")}),
        (
            gettext_lazy("Work"),
            {"fields": ("workspace", ("timeout_seconds", "max_concurrent"))},
        ),
        (gettext_lazy("Instructions"), {"fields": ("system_prompt",)}),
        (gettext_lazy("Further settings"), {"fields": ("settings",), "classes": ("collapse",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the model that is inherited, asked for once and not for each row."""
        rows: QuerySet[Any] = super().get_queryset(request)
        if is_list(request):
            inherited = Value(inherited_model(), output_field=CharField())
            rows = rows.annotate(inherited=inherited)
        return rows

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Sessions and bindings know an agent by its id, so that stays."""
        return ("slug",) if obj is not None else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """All but the default one."""
        return super().has_delete_permission(request, obj) and not getattr(obj, "is_default", False)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Through the services, which keep exactly one default."""
        if not change:
            made = agent_create(
                name=obj.name or obj.slug, slug=obj.slug, model=obj.model, workspace=obj.workspace
            )
            obj.pk = made.pk
        changes = {
            name: getattr(obj, name)
            for name in form.changed_data
            if name not in ("slug", "settings") and (name != "is_default" or obj.is_default)
        }
        agent_update(slug=obj.slug, changes=changes)
        if "settings" in form.changed_data:
            row = Agent.objects.get(pk=obj.pk)
            row.settings = obj.settings
            row.save(update_fields=["settings", "updated_at"])

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Sessions and the workspace stay."""
        agent_delete(slug=obj.slug)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One by one; the default one is refused with a sentence."""
        self.each(
            request,
            queryset,
            lambda agent: agent_delete(slug=agent.slug),
            lambda n: ngettext("%(n)d agent removed.", "%(n)d agents removed.", n) % {"n": n},
        )

    @admin.action(description=gettext_lazy("Switch off"))
    def switch_off(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """No message reaches them any more."""
        self.each(
            request,
            queryset,
            lambda agent: agent_update(slug=agent.slug, changes={"enabled": False}),
            lambda n: ngettext("%(n)d agent is off.", "%(n)d agents are off.", n) % {"n": n},
        )

    @admin.action(description=gettext_lazy("Switch on"))
    def switch_on(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """They answer again."""
        self.each(
            request,
            queryset,
            lambda agent: agent_update(slug=agent.slug, changes={"enabled": True}),
            lambda n: ngettext("%(n)d agent is on.", "%(n)d agents are on.", n) % {"n": n},
        )

    @column(gettext_lazy("agent"), order="slug")
    def named(self, agent: Agent) -> str:
        """Name and id."""
        return f"{agent.name} ({agent.slug})" if agent.name else agent.slug

    @column(gettext_lazy("state"), order="enabled", label={"default": GOOD, "on": GOOD, "off": ""})
    def standing(self, agent: Agent) -> tuple[str, str]:
        """Default, on or off."""
        if not agent.enabled:
            return "off", _("off")
        return ("default", _("default")) if agent.is_default else ("on", _("on"))

    @column(gettext_lazy("model"), order="model")
    def model_used(self, agent: Any) -> str:
        """What a message without a model of its own gets."""
        used = default_model_ref(agent_model=agent.model or agent.inherited)
        return used if used == agent.model else _("%(model)s (default)") % {"model": used}

    @column(gettext_lazy("changed"), order="updated_at")
    def changed(self, agent: Agent) -> Shown:
        """How long ago."""
        return ago(agent.updated_at)
