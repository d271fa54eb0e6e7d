"""What a session is told by the gateway itself."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sessions.models.runs import Run
from sessions.models.transcript import Session


class SystemEvent(models.Model):
    """One line for the model of a session, shown to it once.

    `run` is the turn that took it. `trusted` false: it carries words from outside of the gateway.
    `context_key` names the thing that it is about: a newer event about it takes its place.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="system_events")
    source = models.CharField(_("source"), max_length=32)
    text = models.TextField(_("text"))
    context_key = models.CharField(_("about"), max_length=200, blank=True)
    trusted = models.BooleanField(_("trusted"), default=True)
    run = models.ForeignKey(
        Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="system_events"
    )
    created_at = models.DateTimeField(_("happened"), default=timezone.now)
    taken_at = models.DateTimeField(_("taken"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name = _("system event")
        verbose_name_plural = _("system events")
        indexes: ClassVar = [
            models.Index(
                fields=["session", "id"],
                condition=models.Q(taken_at__isnull=True),
                name="system_event_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.source}: {self.text[:60]}"
