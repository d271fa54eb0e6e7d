"""Model calls: what each request took and how it ended."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RUNS, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import WhenFilter, agent_filter
from agents.admin.wording import ago, count, excerpt, json_block, length, money
from sessions.admin.parts import page_link, run_link
from sessions.models import ModelCall

_CALL = {"running": RUNS, "done": GOOD, "failed": BAD, "interrupted": WAITS}


@admin.register(ModelCall)
class ModelCallAdmin(RecordAdmin):
    """Every request to a model."""

    list_display = (
        "standing", "called", "of_run", "agent", "began", "took", "tokens", "spent", "why",
    )  # fmt: skip
    list_display_links = ("called",)
    list_filter = ("state", WhenFilter, agent_filter("run__agent_slug"), "error_kind")
    list_select_related = ("run",)
    list_defer = ("parameters", "run__agent", "run__reply", "run__resumed")
    search_fields = ("=run__id", "=run__wire_id", "model", "error_message")
    ordering = ("-started_at", "-id")
    search_help_text = gettext_lazy("Run id, model, words of the error")
    date_hierarchy = "started_at"
    form_select_related = ("run", "prompt")
    fields = (
        ("of_run", "number"),
        ("provider", "model"),
        "api",
        ("state", "stop_reason"),
        ("error_kind", "http_status"),
        "error_message",
        ("input_tokens", "output_tokens"),
        ("cache_read_tokens", "cache_write_tokens"),
        ("spent", "usage_estimated"),
        "started_at",
        ("first_token", "took"),
        ("prompt", "sent"),
        ("first_seq", "last_seq"),
        "leaf",
        "parameters_shown",
    )

    def get_urls(self) -> list[Any]:
        """With the page "who spends"."""
        from sessions.admin.spending import spending_urls

        return [*spending_urls(self), *super().get_urls()]

    @column(gettext_lazy("state"), order="state", label=_CALL)
    def standing(self, call: ModelCall) -> tuple[str, str]:
        """How it ended."""
        return call.state, call.get_state_display()

    @column(gettext_lazy("model"), order="model")
    def called(self, call: ModelCall) -> str:
        """Provider, model and the number of the call in its run."""
        return str(call)

    @column(gettext_lazy("run"), order="run")
    def of_run(self, call: ModelCall) -> Shown:
        """To the run's timeline."""
        return run_link(call.run_id)

    @column(gettext_lazy("agent"), order="run__agent_slug")
    def agent(self, call: ModelCall) -> str:
        """Whose call it was."""
        return call.run.agent_slug

    @column(gettext_lazy("started"), order="started_at")
    def began(self, call: ModelCall) -> Shown:
        """How long ago."""
        return ago(call.started_at)

    @column(gettext_lazy("first token"))
    def first_token(self, call: ModelCall) -> str:
        """How long the model thought before it began to answer."""
        return length(call.started_at, call.first_token_at)

    @column(gettext_lazy("took"))
    def took(self, call: ModelCall) -> str:
        """From the request to the end."""
        return length(call.started_at, call.ended_at)

    @column(gettext_lazy("tokens"), order="output_tokens")
    def tokens(self, call: ModelCall) -> str:
        """In and out; estimated ones are marked."""
        sent = call.input_tokens + call.cache_read_tokens + call.cache_write_tokens
        mark = "≈ " if call.usage_estimated else ""
        return f"{mark}{count(sent)} / {count(call.output_tokens)}"

    @column(gettext_lazy("cost"), order="cost")
    def spent(self, call: ModelCall) -> str:
        """In dollars."""
        return money(call.cost, known=call.cost_known)

    @column(gettext_lazy("error"), order="error_kind")
    def why(self, call: ModelCall) -> str:
        """Why it failed."""
        return excerpt(call.error_message or call.error_kind, 60)

    @column(gettext_lazy("request"))
    def sent(self, call: ModelCall) -> Shown:
        """To the request as it was sent, secrets removed."""
        return page_link("run_request", _("as it was sent"), call.run_id, str(call.number))

    @column(gettext_lazy("parameters"))
    def parameters_shown(self, call: ModelCall) -> Shown:
        """What was set beside the messages."""
        return json_block(call.parameters)
