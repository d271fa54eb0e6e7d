"""Sessions and what was said in them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.people import Person


def transcript_id() -> str:
    """A transcript id; clients know it as sessionId, which the protocol expects to be a UUID."""
    return str(uuid.uuid4())


class Session(models.Model):
    """A conversation with a key. Its owner is a column and is never read from the key.

    `fence` is raised whenever a worker takes the session over; every write of a turn is an
    `UPDATE … WHERE fence = mine`, so a worker that lost its lease cannot write any more.
    """

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    key = models.CharField(_("key"), max_length=512, unique=True)
    agent_slug = models.CharField(_("agent"), max_length=64, db_index=True)
    owner = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="sessions")
    fence = models.BigIntegerField(default=0, editable=False)
    current = models.ForeignKey(
        "Transcript", on_delete=models.SET_NULL, null=True, related_name="+", editable=False
    )
    label = models.CharField(_("name"), max_length=64, blank=True)
    title = models.CharField(_("derived title"), max_length=120, blank=True)
    preview = models.CharField(_("last message"), max_length=240, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    thinking = models.CharField(_("thinking"), max_length=16, blank=True)
    # Empty inherits the agent's.
    verbose = models.CharField(_("verbosity"), max_length=8, blank=True)
    reasoning = models.CharField(_("reasoning shown"), max_length=8, blank=True)
    trace = models.CharField(_("trace"), max_length=8, blank=True)
    # The credential that the session keeps; a pinned one was chosen by a person.
    profile = models.CharField(_("credential"), max_length=160, blank=True)
    profile_pinned = models.BooleanField(_("credential pinned"), default=False)
    queue_mode = models.CharField(_("queue mode"), max_length=16, blank=True)
    settings = models.JSONField(_("further settings"), default=dict, blank=True)
    origin = models.JSONField(_("origin"), default=dict, blank=True)
    input_tokens = models.BigIntegerField(_("input tokens"), default=0)
    output_tokens = models.BigIntegerField(_("output tokens"), default=0)
    context_tokens = models.BigIntegerField(_("context tokens"), default=0)
    cost = models.FloatField(_("cost (USD)"), default=0.0)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    updated_at = models.DateTimeField(_("changed"), default=timezone.now, db_index=True)
    last_interaction_at = models.DateTimeField(_("last message"), null=True, blank=True)
    archived_at = models.DateTimeField(_("archived"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-updated_at"]
        verbose_name = _("session")
        verbose_name_plural = _("sessions")

    def __str__(self) -> str:
        return self.label or self.title or self.key

    @property
    def pinned_profile(self) -> str:
        """The credential that a person chose for this session, "" for none."""
        return self.profile if self.profile_pinned else ""


class Transcript(models.Model):
    """One stretch of a session between two resets. Clients know its id as sessionId.

    `leaf` is the entry id at the end of the active branch; `next_seq` numbers the next entry.
    """

    id = models.CharField(primary_key=True, max_length=36, default=transcript_id, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="transcripts")
    leaf = models.CharField(max_length=8, blank=True, editable=False)
    next_seq = models.PositiveIntegerField(default=1, editable=False)
    compactions = models.PositiveIntegerField(_("compactions"), default=0, editable=False)
    session_started_at = models.DateTimeField(_("started"), default=timezone.now)
    last_interaction_at = models.DateTimeField(_("last message"), null=True, blank=True)
    updated_at = models.DateTimeField(_("changed"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    end_reason = models.CharField(_("ended by"), max_length=32, blank=True)

    class Meta:
        ordering: ClassVar = ["-session_started_at"]
        verbose_name = _("transcript")
        verbose_name_plural = _("transcripts")

    def __str__(self) -> str:
        return self.id


class Entry(models.Model):
    """One line of a transcript: a message, or a mark such as a model change. Never edited."""

    class Type(models.TextChoices):
        MESSAGE = "message", _("message")
        NOTICE = "notice", _("notice")
        MODEL_CHANGE = "model_change", _("model change")
        THINKING_CHANGE = "thinking_level_change", _("thinking change")
        COMPACTION = "compaction", _("compaction")

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="entries")
    seq = models.PositiveIntegerField(_("number"))
    entry_id = models.CharField(_("entry id"), max_length=8)
    parent_id = models.CharField(_("parent"), max_length=8, blank=True)
    type = models.CharField(_("type"), max_length=24, choices=Type, default=Type.MESSAGE)
    role = models.CharField(_("role"), max_length=12, blank=True)
    body = models.JSONField(_("content"))
    run_id = models.CharField(_("run"), max_length=26, blank=True, db_index=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["transcript", "seq"]
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["transcript", "seq"], name="entry_seq"),
            models.UniqueConstraint(fields=["transcript", "entry_id"], name="entry_id"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.role or self.type}"
