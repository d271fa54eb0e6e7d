"""What happened to the context of a session: compactions, each with its diagnosis."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sessions.models.runs import Run
from sessions.models.transcript import Session, Transcript


class Compaction(models.Model):
    """One try to replace old history by a summary. Counts are of messages and estimated tokens.

    `entry_id` names the summary's entry, "" when none was stored. `diagnostic` is the id that the
    log carries too. `top` lists the messages that weigh most.
    """

    class Outcome(models.TextChoices):
        DONE = "done", _("done")
        SKIPPED = "skipped", _("skipped")
        FAILED = "failed", _("failed")

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="compactions")
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="compactions")
    diagnostic = models.CharField(_("diagnostic id"), max_length=40, blank=True)
    trigger = models.CharField(_("trigger"), max_length=24)
    attempt = models.PositiveIntegerField(_("attempt"), default=1)
    outcome = models.CharField(_("outcome"), max_length=8, choices=Outcome)
    reason = models.CharField(_("reason"), max_length=48, blank=True)
    error = models.TextField(_("error"), blank=True)
    entry_id = models.CharField(_("entry"), max_length=8, blank=True)
    provider = models.CharField(_("provider"), max_length=64, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    messages_before = models.PositiveIntegerField(_("messages before"), default=0)
    messages_kept = models.PositiveIntegerField(_("messages kept"), default=0)
    history_chars = models.BigIntegerField(_("characters"), default=0)
    tool_result_chars = models.BigIntegerField(_("characters of tool results"), default=0)
    tokens_before = models.BigIntegerField(_("tokens before"), default=0)
    tokens_after = models.BigIntegerField(_("tokens after"), default=0)
    top = models.JSONField(_("heaviest messages"), default=list, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), default=0)
    created_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name = _("compaction")
        verbose_name_plural = _("compactions")

    def __str__(self) -> str:
        return f"{self.trigger} {self.outcome}"
