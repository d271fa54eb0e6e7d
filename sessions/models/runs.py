"""Runs: what a worker did for a message, call by call."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.people import Person
from sessions.models.transcript import Session, Transcript


class Run(models.Model):
    """One turn of an agent. It may be worked on by several workers, one after another.

    `wire_id` is the run id of the message that started it. `agent` is a snapshot of the agent's
    configuration at the start. `fence` is the session's fence under which it is worked on now.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        PARKED = "parked", _("waiting for a decision")
        ENDED = "ended", _("ended")

    class Outcome(models.TextChoices):
        FINAL = "final", _("answered")
        ERROR = "error", _("failed")
        ABORTED = "aborted", _("stopped")

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="runs")
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="runs")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    wire_id = models.CharField(_("run id of the client"), max_length=200, db_index=True)
    agent_slug = models.CharField(_("agent"), max_length=64, db_index=True)
    agent = models.JSONField(_("agent snapshot"), default=dict)
    provider = models.CharField(_("provider"), max_length=64, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.RUNNING)
    outcome = models.CharField(_("outcome"), max_length=8, choices=Outcome, blank=True)
    origin = models.CharField(_("came through"), max_length=32, blank=True)
    preview = models.CharField(_("asked"), max_length=160, blank=True)
    fence = models.BigIntegerField(default=0, editable=False)
    worker = models.CharField(_("worker"), max_length=64, blank=True)
    resumptions = models.PositiveIntegerField(_("resumptions"), default=0)
    resumed = models.JSONField(_("resumption log"), default=list)
    stop_kind = models.CharField(_("stop asked"), max_length=16, blank=True)
    stop_by = models.CharField(_("stopped by"), max_length=120, blank=True)
    stop_reason = models.CharField(_("stop reason"), max_length=32, blank=True)
    error_kind = models.CharField(_("error class"), max_length=32, blank=True)
    error_message = models.TextField(_("error"), blank=True)
    reply = models.TextField(_("answer"), blank=True)
    input_tokens = models.BigIntegerField(_("input tokens"), default=0)
    output_tokens = models.BigIntegerField(_("output tokens"), default=0)
    cache_read_tokens = models.BigIntegerField(_("cached tokens read"), default=0)
    cache_write_tokens = models.BigIntegerField(_("cached tokens written"), default=0)
    cost = models.FloatField(_("cost (USD)"), default=0.0)
    cost_known = models.BooleanField(_("price known"), default=False)
    # Sentences for whoever looks at the run: a small window, a fallback that was taken.
    warnings = models.JSONField(_("warnings"), default=list, blank=True)
    parked_at = models.DateTimeField(_("parked since"), null=True, blank=True)
    parked_seconds = models.FloatField(_("time parked (s)"), default=0.0)
    accepted_at = models.DateTimeField(_("accepted"), default=timezone.now)
    started_at = models.DateTimeField(_("started"), default=timezone.now, db_index=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-started_at"]
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session"],
                condition=~models.Q(state="ended"),
                name="one_open_run_a_session",
            )
        ]

    def __str__(self) -> str:
        return self.id


class Prompt(models.Model):
    """A system prompt with its tool schemas, stored once and named by its SHA-256."""

    digest = models.CharField(primary_key=True, max_length=64)
    system = models.TextField(_("system prompt"))
    tools = models.JSONField(_("tools"), default=list)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("prompt")
        verbose_name_plural = _("prompts")

    def __str__(self) -> str:
        return self.digest[:12]


class ModelCall(models.Model):
    """One request to a model. The request is kept by reference: prompt digest and the range of
    transcript entries that were sent, so that a long session does not grow with its square.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        INTERRUPTED = "interrupted", _("interrupted")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="model_calls")
    number = models.PositiveIntegerField(_("number"))
    provider = models.CharField(_("provider"), max_length=64)
    model = models.CharField(_("model"), max_length=200)
    api = models.CharField(_("wire format"), max_length=40, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.RUNNING)
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, null=True, related_name="+")
    first_seq = models.PositiveIntegerField(_("first entry"), default=1)
    last_seq = models.PositiveIntegerField(_("last entry"), default=0)
    leaf = models.CharField(_("branch end"), max_length=8, blank=True)
    # turn, or what else the model was asked for (a compaction, say).
    purpose = models.CharField(_("purpose"), max_length=16, default="turn")
    profile = models.CharField(_("credential"), max_length=160, blank=True)
    attempt = models.PositiveIntegerField(_("attempt"), default=1)
    # What was decided after a failure: retry, rotate, backoff, compact, truncate, fallback, stop.
    action = models.CharField(_("then"), max_length=16, blank=True)
    action_reason = models.CharField(_("because"), max_length=300, blank=True)
    # How the transcript was cut to what was sent: compaction entry, pruned and truncated results.
    context = models.JSONField(_("context"), default=dict, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    response_entry_id = models.CharField(_("answer entry"), max_length=8, blank=True)
    stop_reason = models.CharField(_("stop reason"), max_length=12, blank=True)
    error_kind = models.CharField(_("error class"), max_length=32, blank=True)
    error_message = models.TextField(_("error"), blank=True)
    http_status = models.PositiveIntegerField(_("HTTP status"), null=True, blank=True)
    input_tokens = models.BigIntegerField(_("input tokens"), default=0)
    output_tokens = models.BigIntegerField(_("output tokens"), default=0)
    cache_read_tokens = models.BigIntegerField(_("cached tokens read"), default=0)
    cache_write_tokens = models.BigIntegerField(_("cached tokens written"), default=0)
    usage_estimated = models.BooleanField(_("tokens estimated"), default=False)
    cost = models.FloatField(_("cost (USD)"), default=0.0)
    cost_known = models.BooleanField(_("price known"), default=False)
    started_at = models.DateTimeField(_("started"), default=timezone.now)
    first_token_at = models.DateTimeField(_("first token"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "number"]
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "number"], name="model_call_number")
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.model} #{self.number}"


class ToolCall(models.Model):
    """One tool call: the verdict, what went in, what came out.

    `state` decides what a resumed turn does: `pending` never started, `started` has no known
    result (run again only if `repeatable`), the others are answered.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        STARTED = "started", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        DENIED = "denied", _("denied")
        INTERRUPTED = "interrupted", _("interrupted")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="tool_calls")
    entry_id = models.CharField(_("entry of the call"), max_length=8)
    position = models.PositiveIntegerField(_("position"), default=0)
    call_id = models.CharField(_("call id"), max_length=200)
    name = models.CharField(_("tool"), max_length=120)
    arguments = models.JSONField(_("arguments"), default=dict)
    repeatable = models.BooleanField(_("repeatable"), default=False)
    verdict = models.CharField(_("verdict"), max_length=8, blank=True)
    verdict_reason = models.CharField(_("reason"), max_length=500, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.PENDING)
    result = models.JSONField(_("result"), null=True, blank=True)
    details = models.JSONField(_("details"), default=dict, blank=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "id"]
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "entry_id", "call_id"], name="tool_call_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"
