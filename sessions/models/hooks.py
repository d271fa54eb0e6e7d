"""Calls of hooks, so that a run shows what plugins did in it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sessions.models.custody import InboxItem
from sessions.models.runs import Run
from sessions.models.transcript import Session


class HookCall(models.Model):
    """One handler of one hook. `note` says what it changed or why it failed.

    A hook that is called outside of a run (a message was received, a session began) names the
    message or the session; the hooks of the gateway itself name neither.
    """

    class Outcome(models.TextChoices):
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        TIMEOUT = "timeout", _("too slow")
        BLOCKED = "blocked", _("blocked")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="hook_calls")
    item = models.ForeignKey(
        InboxItem, on_delete=models.CASCADE, null=True, related_name="hook_calls"
    )
    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, null=True, related_name="hook_calls"
    )
    number = models.PositiveIntegerField(_("number"), default=0)
    hook = models.CharField(_("hook"), max_length=48)
    handler = models.CharField(_("handler"), max_length=160)
    outcome = models.CharField(_("outcome"), max_length=8, choices=Outcome)
    note = models.CharField(_("note"), max_length=300, blank=True)
    duration_ms = models.FloatField(_("duration (ms)"), default=0.0)
    started_at = models.DateTimeField(_("started"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name = _("hook call")
        verbose_name_plural = _("hook calls")

    def __str__(self) -> str:
        return f"{self.hook} {self.handler}"
