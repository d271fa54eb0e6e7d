"""Django's own accounts, as far as they are not kept by people's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.utils.translation import gettext_lazy

from agents.admin.base import PartlyFixedAdmin, Shown, column
from agents.admin.wording import UNKNOWN, ago

if TYPE_CHECKING:
    from django.contrib.auth.forms import AdminPasswordChangeForm
else:
    from unfold.forms import AdminPasswordChangeForm

admin.site.unregister([Group, User])


@admin.register(User)
class AccountAdmin(PartlyFixedAdmin, UserAdmin):  # type: ignore[type-arg]
    """User names and passwords. Roles and being switched off belong to people."""

    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "person_shown", "is_active", "seen")
    list_filter = ("is_active",)
    list_select_related = ("person",)
    search_fields = ("username", "person__name")
    ordering = ("username",)
    filter_horizontal = ()
    fieldsets = ((None, {"fields": ("username", "password", ("last_login", "date_joined"))}),)
    readonly_fields = ("last_login", "date_joined")

    @column(gettext_lazy("person"), order="person__name")
    def person_shown(self, user: User) -> str:
        """Whose account it is."""
        person = getattr(user, "person", None)
        return str(person) if person is not None else UNKNOWN

    @column(gettext_lazy("last sign-in"), order="last_login")
    def seen(self, user: User) -> Shown:
        """How long ago."""
        return ago(user.last_login)
