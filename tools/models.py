"""The tables of what agents may run and where they run it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ExecAllowance(models.Model):
    """A command that an agent may run without being asked about; "*" for every agent.

    `pattern` is a glob over the resolved path of the executable, a bare name, or
    `=command:<16 hex>` for one exact command line. `argument_pattern` is a regular expression that
    the arguments must match as a whole, "" for any.
    """

    agent_slug = models.CharField(_("agent"), max_length=64, default="*", db_index=True)
    pattern = models.CharField(_("pattern"), max_length=500)
    argument_pattern = models.CharField(_("arguments"), max_length=500, blank=True)
    source = models.CharField(_("came from"), max_length=32, default="admin")
    command_text = models.TextField(_("command that led to it"), blank=True)
    added_by = models.CharField(_("added by"), max_length=120, blank=True)
    created_at = models.DateTimeField(_("added"), default=timezone.now)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    last_used_command = models.TextField(_("last command"), blank=True)
    last_resolved_path = models.CharField(_("last executable"), max_length=500, blank=True)

    class Meta:
        ordering: ClassVar = ["agent_slug", "pattern"]
        verbose_name = _("allowed command")
        verbose_name_plural = _("allowed commands")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["agent_slug", "pattern", "argument_pattern"], name="exec_allowance_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_slug}: {self.pattern}"


class SandboxContainer(models.Model):
    """A container that was made for a sandbox scope, as far as this gateway knows."""

    name = models.CharField(primary_key=True, max_length=63)
    scope_key = models.CharField(_("scope"), max_length=300)
    agent_slug = models.CharField(_("agent"), max_length=64, blank=True)
    image = models.CharField(_("image"), max_length=300)
    config_hash = models.CharField(_("configuration"), max_length=64)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    last_used_at = models.DateTimeField(_("last used"), default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("sandbox container")
        verbose_name_plural = _("sandbox containers")

    def __str__(self) -> str:
        return self.name


class McpCatalogue(models.Model):
    """What is known of an MCP server: the tools it listed last, or why it cannot be used.

    Written by the workers, read by every process. `mark` is that of the settings with which it was
    asked; a row with another one says nothing.
    """

    server = models.CharField(_("server"), primary_key=True, max_length=40)
    mark = models.CharField(_("settings"), max_length=64)
    problem = models.TextField(_("cannot be used because"), blank=True)
    tools = models.JSONField(_("tools"), default=list)
    notes = models.JSONField(_("left out"), default=list)
    changed_at = models.DateTimeField(_("changed"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["server"]
        verbose_name = _("MCP server")
        verbose_name_plural = _("MCP servers")

    def __str__(self) -> str:
        return self.server
