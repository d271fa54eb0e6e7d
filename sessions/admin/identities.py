"""How people reach us, and the sign-in links that were made."""

from __future__ import annotations

from django.contrib import admin
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.base import (
    BAD,
    WAITS,
    OperatorAdmin,
    RecordAdmin,
    Shown,
    column,
)
from agents.admin.wording import ago
from sessions.models import ChannelIdentity, SigninLink


@admin.register(ChannelIdentity)
class ChannelIdentityAdmin(OperatorAdmin):
    """Where people write from: what joins a channel's sender to a person."""

    list_display = ("person", "channel", "account", "peer", "made")
    list_display_links = ("peer",)
    list_filter = ("channel",)
    list_select_related = ("person",)
    search_fields = ("person__name", "channel", "peer")
    autocomplete_fields = ("person",)
    fields = ("person", ("channel", "account"), "peer")

    @column(gettext_lazy("since"), order="created_at")
    def made(self, identity: ChannelIdentity) -> Shown:
        """How long ago."""
        return ago(identity.created_at)


@admin.register(SigninLink)
class SigninLinkAdmin(RecordAdmin):
    """Sign-in links that were made. Only their hashes are stored, and those are not shown."""

    list_display = ("person", "standing", "made", "expires_at", "used_at")
    list_select_related = ("person",)
    search_fields = ("person__name",)
    ordering = ("-id",)
    form_select_related = ("person",)
    fields = ("person", ("created_at", "expires_at"), "used_at")

    @column(gettext_lazy("state"), label={"used": "", "open": WAITS, "expired": BAD})
    def standing(self, row: SigninLink) -> tuple[str, str]:
        """Whether it still works."""

        if row.used_at is not None:
            return "used", _("used")
        return ("open", _("open")) if row.expires_at > timezone.now() else ("expired", _("expired"))

    @column(gettext_lazy("made"), order="created_at")
    def made(self, row: SigninLink) -> Shown:
        """How long ago."""
        return ago(row.created_at)
