"""Limits on money and tokens, what was spent of them, and what is held for calls in flight."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Budget(models.Model):
    """A limit. `target` is an agent's id or a person's id, "" means everybody each.

    `everyone` counts all agents and people together. An empty limit is none. Cost is in US
    dollars; calls without a known price count only for tokens.
    """

    class Scope(models.TextChoices):
        RUN = "run", _("each run")
        AGENT = "agent", _("agent")
        PERSON = "person", _("person")
        EVERYONE = "everyone", _("everyone together")

    class Period(models.TextChoices):
        RUN = "run", _("run")
        DAY = "day", _("day (UTC)")
        MONTH = "month", _("month (UTC)")

    scope = models.CharField(_("applies to"), max_length=8, choices=Scope)
    target = models.CharField(_("which"), max_length=64, blank=True)
    period = models.CharField(_("per"), max_length=8, choices=Period)
    limit_usd = models.FloatField(_("limit (USD)"), null=True, blank=True)
    limit_tokens = models.BigIntegerField(_("limit (tokens)"), null=True, blank=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    note = models.CharField(_("note"), max_length=200, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        ordering: ClassVar = ["scope", "target", "period"]
        verbose_name = _("budget")
        verbose_name_plural = _("budgets")

    def __str__(self) -> str:
        return f"{self.get_scope_display()} {self.target} / {self.get_period_display()}"


class BudgetWindow(models.Model):
    """What one target spent of one budget in one period. `held` is reserved, not spent yet."""

    budget = models.ForeignKey(Budget, on_delete=models.CASCADE, related_name="windows")
    target = models.CharField(_("which"), max_length=64, blank=True)
    starts_at = models.DateTimeField(_("from"))
    spent_usd = models.FloatField(_("spent (USD)"), default=0.0)
    spent_tokens = models.BigIntegerField(_("spent (tokens)"), default=0)
    held_usd = models.FloatField(_("held (USD)"), default=0.0)
    held_tokens = models.BigIntegerField(_("held (tokens)"), default=0)

    class Meta:
        ordering: ClassVar = ["-starts_at", "budget", "target"]
        verbose_name = _("budget window")
        verbose_name_plural = _("budget windows")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["budget", "target", "starts_at"], name="budget_window_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.budget_id} {self.target} {self.starts_at:%Y-%m-%d}"


class BudgetHold(models.Model):
    """An amount that one model call may cost at most, given back or spent when the call ends."""

    window = models.ForeignKey(BudgetWindow, on_delete=models.CASCADE, related_name="holds")
    run_id = models.CharField(_("run"), max_length=26, db_index=True)
    number = models.PositiveIntegerField(_("model call"))
    usd = models.FloatField(_("USD"), default=0.0)
    tokens = models.BigIntegerField(_("tokens"), default=0)
    created_at = models.DateTimeField(_("since"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name = _("budget hold")
        verbose_name_plural = _("budget holds")

    def __str__(self) -> str:
        return f"{self.run_id} #{self.number}"
