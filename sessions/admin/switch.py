"""The switch that stops everything."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RecordAdmin, Shown, column
from agents.admin.wording import ago
from sessions.models import Switch
from sessions.stops import everything_resume, everything_stop


@admin.register(Switch)
class SwitchAdmin(RecordAdmin):
    """Whether agents work. The control panel has the switch as well."""

    list_display = ("standing", "by", "reason", "changed")
    fields = ("stopped", ("by", "reason"), "changed_at")
    actions = ("stop", "resume")

    @admin.action(description=gettext_lazy("Stop everything"))
    def stop(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Agents, schedules and deliveries; messages wait."""
        everything_stop(by=request.user.get_username())
        messages.warning(request, _("Everything is stopped. Messages are kept and wait."))

    @admin.action(description=gettext_lazy("Let everything run"))
    def resume(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """What waits is worked on."""
        everything_resume(by=request.user.get_username())
        messages.success(request, _("Everything runs again."))

    @column(gettext_lazy("state"), order="stopped", label={"on": GOOD, "off": BAD})
    def standing(self, switch: Switch) -> tuple[str, str]:
        """Running or stopped."""
        return ("off", _("stopped")) if switch.stopped else ("on", _("running"))

    @column(gettext_lazy("changed"), order="changed_at")
    def changed(self, switch: Switch) -> Shown:
        """How long ago."""
        return ago(switch.changed_at)
