"""What went out, and files."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from agents.admin.base import BAD, GOOD, RUNS, WAITS, RecordAdmin, Shown, column
from agents.admin.filters import when_filter
from agents.admin.wording import ago, excerpt, json_block, size
from sessions.admin.parts import run_link
from sessions.models import Artifact, Delivery


@admin.register(Delivery)
class DeliveryAdmin(RecordAdmin):
    """Replies on their way out."""

    list_display = ("standing", "kind", "of_run", "attempts", "made", "sent", "why")
    list_display_links = ("kind",)
    list_filter = ("state", "kind", when_filter("created_at"))
    search_fields = ("=id", "=run__id", "receipt", "error")
    search_help_text = gettext_lazy("Run id, receipt, words of the error")
    fields = (
        ("of_run", "kind"), ("state", "attempts"), ("receipt", "entry_id"), "error",
        ("created_at", "ended_at"), "target_shown",
    )  # fmt: skip

    @column(gettext_lazy("state"), order="state", label={
        "pending": WAITS, "sending": RUNS, "sent": GOOD, "unknown": WAITS, "failed": BAD,
        "suppressed": "",
    })  # fmt: skip
    def standing(self, delivery: Delivery) -> tuple[str, str]:
        """How it stands."""
        return delivery.state, delivery.get_state_display()

    @column(gettext_lazy("run"))
    def of_run(self, delivery: Delivery) -> Shown:
        """To the run's timeline."""
        return run_link(delivery.run_id)

    @column(gettext_lazy("made"), order="created_at")
    def made(self, delivery: Delivery) -> Shown:
        """How long ago."""
        return ago(delivery.created_at)

    @column(gettext_lazy("ended"), order="ended_at")
    def sent(self, delivery: Delivery) -> Shown:
        """How long ago."""
        return ago(delivery.ended_at)

    @column(gettext_lazy("error"))
    def why(self, delivery: Delivery) -> str:
        """Why it failed."""
        return excerpt(delivery.error, 60)

    @column(gettext_lazy("target"))
    def target_shown(self, delivery: Delivery) -> Shown:
        """Where it goes."""
        return json_block(delivery.target)


@admin.register(Artifact)
class ArtifactAdmin(RecordAdmin):
    """Attachments, and files that agents made."""

    list_display = ("name", "mime_type", "length", "person", "session_key", "made")
    list_filter = ("mime_type", when_filter("created_at"))
    list_select_related = ("person",)
    search_fields = ("name", "=session_key", "=sha256")
    form_select_related = ("person",)
    fields = ("name", ("mime_type", "length"), ("person", "session_key"), "sha256", "created_at")

    @column(gettext_lazy("size"), order="size")
    def length(self, artifact: Artifact) -> str:
        """In the unit that reads best."""
        return size(artifact.size)

    @column(gettext_lazy("made"), order="created_at")
    def made(self, artifact: Artifact) -> Shown:
        """How long ago."""
        return ago(artifact.created_at)
