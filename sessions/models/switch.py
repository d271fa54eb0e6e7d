"""The one switch that stops everything."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Switch(models.Model):
    """Present and `stopped` while agents, schedules and deliveries must rest.

    A single row, `name` = "everything". Messages are still accepted and wait.
    """

    name = models.CharField(primary_key=True, max_length=32, default="everything")
    stopped = models.BooleanField(_("stopped"), default=False)
    by = models.CharField(_("by"), max_length=120, blank=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        verbose_name = _("switch")
        verbose_name_plural = _("switches")

    def __str__(self) -> str:
        return f"{self.name}: {'stopped' if self.stopped else 'running'}"
