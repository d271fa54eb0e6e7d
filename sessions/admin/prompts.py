"""The prompts that were sent."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import RecordAdmin, Shown, column
from agents.admin.wording import ago, excerpt, json_block, text_block
from sessions.models import Prompt


@admin.register(Prompt)
class PromptAdmin(RecordAdmin):
    """System prompts with their tool schemas, each kept once."""

    list_display = ("digest", "begins", "used")
    list_cut = "system"
    list_defer = ("system", "tools")
    search_fields = ("digest",)
    fields = ("digest", "created_at", "system_shown", "tools_shown")

    @column(gettext_lazy("begins"))
    def begins(self, prompt: Any) -> str:
        """Its first words."""
        return excerpt(prompt.beginning, 100)

    @column(gettext_lazy("first used"), order="created_at")
    def used(self, prompt: Prompt) -> Shown:
        """How long ago."""
        return ago(prompt.created_at)

    @column(gettext_lazy("system prompt"))
    def system_shown(self, prompt: Prompt) -> Shown:
        """The whole text."""
        return text_block(prompt.system)

    @column(gettext_lazy("tools"))
    def tools_shown(self, prompt: Prompt) -> Shown:
        """Names and schemas."""
        return json_block(prompt.tools)
