"""Decisions that a turn waits for."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.runs import Run
from sessions.models.transcript import Session


class Approval(models.Model):
    """One question whether a tool call may run, from its asking to its end.

    `slug` is what people type. `digest` is the SHA-256 of what was asked about: an answer holds
    for exactly that call. `facts` are shown to whoever decides and hold what an allow-always would
    store. The first decision wins; one that comes after the end changes nothing. Without a run a
    program asks on its own, and no turn waits.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("waiting")
        ALLOWED_ONCE = "allow-once", _("allowed once")
        ALLOWED_ALWAYS = "allow-always", _("always allowed")
        DENIED = "deny", _("denied")
        EXPIRED = "expired", _("expired")
        WITHDRAWN = "withdrawn", _("withdrawn")

    # A program may bring an id of its own.
    id = models.CharField(primary_key=True, max_length=64, default=new_id, editable=False)
    slug = models.CharField(_("code"), max_length=12)
    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, null=True, blank=True, related_name="approvals"
    )
    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, null=True, blank=True, related_name="approvals"
    )
    agent_slug = models.CharField(_("agent"), max_length=64, db_index=True)
    entry_id = models.CharField(_("entry of the call"), max_length=8, blank=True)
    call_id = models.CharField(_("call id"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=16, default="tool")
    tool = models.CharField(_("tool"), max_length=120)
    arguments = models.JSONField(_("arguments"), default=dict)
    digest = models.CharField(_("digest"), max_length=64)
    reason = models.TextField(_("why it is asked"), blank=True)
    facts = models.JSONField(_("facts"), default=dict, blank=True)
    decisions = models.JSONField(_("possible decisions"), default=list)
    state = models.CharField(
        _("state"), max_length=12, choices=State, default=State.PENDING, db_index=True
    )
    asked_of = models.CharField(_("asked by"), max_length=120, blank=True)
    origin = models.CharField(_("came through"), max_length=32, blank=True)
    decided_by = models.CharField(_("decided by"), max_length=120, blank=True)
    decided_through = models.CharField(_("decided through"), max_length=32, blank=True)
    created_at = models.DateTimeField(_("asked"), default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), db_index=True)
    notified_at = models.DateTimeField(_("owner notified"), null=True, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "-id"]
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "entry_id", "call_id"], name="approval_once_a_call"
            ),
            models.UniqueConstraint(
                fields=["slug"], condition=Q(state="pending"), name="approval_slug_while_pending"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.slug} {self.state}"
