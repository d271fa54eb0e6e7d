"""Work that one agent handed to another. The table exists for what is stored from the start."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.transcript import Session


class SubagentRun(models.Model):
    """A child run and its parent, with how it ended and whether the parent was told."""

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    parent = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="children")
    child = models.ForeignKey(
        Session, on_delete=models.SET_NULL, null=True, blank=True, related_name="spawned_by"
    )
    child_run_id = models.CharField(_("run"), max_length=26, blank=True)
    label = models.CharField(_("label"), max_length=64, blank=True)
    task = models.TextField(_("task"))
    runtime = models.CharField(_("runtime"), max_length=16, default="subagent")
    depth = models.PositiveIntegerField(_("depth"), default=1)
    state = models.CharField(_("state"), max_length=16, default="pending")
    reason = models.CharField(_("reason"), max_length=32, blank=True)
    outcome = models.CharField(_("outcome"), max_length=16, blank=True)
    result = models.TextField(_("result"), blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    announced_at = models.DateTimeField(_("announced"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("subagent run")
        verbose_name_plural = _("subagent runs")

    def __str__(self) -> str:
        return self.label or self.id
