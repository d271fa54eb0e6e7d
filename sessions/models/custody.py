"""Messages in our care: receipts, the inbox, and what goes out."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.people import Person
from sessions.models.runs import Run
from sessions.models.transcript import Session


class InboundReceipt(models.Model):
    """Proof that a message of the outside was taken, unique per source and its own id.

    Written in one transaction with the InboxItem; a repeated delivery finds it and changes nothing.
    It outlives the message: `note` says why when there is none any more.
    """

    source = models.CharField(_("source"), max_length=120)
    source_id = models.CharField(_("id at the source"), max_length=200)
    digest = models.CharField(_("SHA-256 of the content"), max_length=64)
    received_at = models.DateTimeField(_("received"), default=timezone.now)
    note = models.CharField(_("note"), max_length=64, blank=True)

    class Meta:
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "source_id"], name="receipt_once")
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}"


class InboxItem(models.Model):
    """One message that wants an answer. `wire_id` is the run id that the client knows.

    Ends with exactly one outcome. Until then it waits (`run` empty) or is being worked on.
    The row id is the order of arrival within a session.
    """

    class Outcome(models.TextChoices):
        ANSWERED = "answered", _("answered")
        MERGED = "merged", _("merged into another turn")
        STEERED = "steered", _("taken into the running turn")
        STOPPED = "stopped", _("stopped")
        SUMMARISED = "summarised", _("summarised")
        EXPLAINED = "explained", _("explained")
        REFUSED = "refused", _("refused")

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="inbox")
    receipt = models.OneToOneField(InboundReceipt, on_delete=models.PROTECT, related_name="item")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    principal = models.JSONField(_("rights of the sender"))
    wire_id = models.CharField(_("run id of the client"), max_length=200)
    text = models.TextField(_("text"))
    attachments = models.JSONField(_("attachments"), default=list, blank=True)
    origin = models.JSONField(_("origin"), default=dict)
    options = models.JSONField(_("options"), default=dict, blank=True)
    queue_mode = models.CharField(_("queue mode"), max_length=16, blank=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="items")
    entry_id = models.CharField(_("transcript entry"), max_length=8, blank=True)
    outcome = models.CharField(_("outcome"), max_length=12, choices=Outcome, blank=True)
    detail = models.CharField(_("detail"), max_length=300, blank=True)
    accepted_at = models.DateTimeField(_("accepted"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name = _("inbox item")
        verbose_name_plural = _("inbox")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["person", "wire_id"], name="wire_id_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["session", "id"],
                condition=models.Q(outcome=""),
                name="inbox_open",
            ),
            models.Index(fields=["wire_id"], name="inbox_wire_id"),
        ]

    def __str__(self) -> str:
        return f"{self.wire_id} {self.outcome or 'waiting'}"


class Delivery(models.Model):
    """One reply on its way out. Web, WebSocket and HTTP replies are `sent` when written:
    their receipt is the transcript entry, and the client fetches what it missed.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        SENDING = "sending", _("sending")
        SENT = "sent", _("sent")
        UNKNOWN = "unknown", _("unknown")
        FAILED = "failed", _("failed")
        SUPPRESSED = "suppressed", _("suppressed")

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="deliveries")
    item = models.ForeignKey(
        InboxItem, on_delete=models.CASCADE, null=True, related_name="deliveries"
    )
    kind = models.CharField(_("sink"), max_length=32)
    target = models.JSONField(_("target"), default=dict)
    entry_id = models.CharField(_("transcript entry"), max_length=8, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.PENDING)
    receipt = models.CharField(_("receipt"), max_length=300, blank=True)
    error = models.CharField(_("error"), max_length=500, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
