"""Files that belong to a conversation: attachments and what agents made."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.ids import new_id
from sessions.models.people import Person


class Artifact(models.Model):
    """A stored file. `path` is relative to the artifacts folder under OPENCLAW_HOME."""

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="artifacts")
    session_key = models.CharField(_("session"), max_length=512, blank=True, db_index=True)
    name = models.CharField(_("file name"), max_length=255)
    mime_type = models.CharField(_("type"), max_length=120)
    size = models.BigIntegerField(_("size (bytes)"))
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    path = models.CharField(_("path"), max_length=300)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("file")
        verbose_name_plural = _("files")

    def __str__(self) -> str:
        return self.name
