"""The platform's own ticks: to be looked at, and to be switched off when one must rest."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from agents.admin.base import PartlyFixedAdmin, Shown, column
from agents.admin.wording import ago

admin.site.unregister(
    [ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule]
)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(PartlyFixedAdmin):
    """What the platform does by itself every few seconds or every night."""

    list_display = ("name", "how_often", "enabled", "last", "total_run_count")
    list_filter = ("enabled",)
    list_select_related = ("interval", "crontab", "solar", "clocked")
    search_fields = ("name", "task")
    actions = None
    fields: ClassVar = (
        "name", "enabled", ("task", "how_often"), ("last_run_at", "total_run_count"), "description",
    )  # fmt: skip

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Everything but the switch."""
        return ("name", "task", "how_often", "last_run_at", "total_run_count", "description")

    @column(gettext_lazy("how often"))
    def how_often(self, tick: PeriodicTask) -> str:
        """Its schedule in words."""
        return str(tick.scheduler)

    @column(gettext_lazy("last run"), order="last_run_at")
    def last(self, tick: PeriodicTask) -> Shown:
        """How long ago."""
        return ago(tick.last_run_at)
