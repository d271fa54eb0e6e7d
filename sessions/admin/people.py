"""People: who may talk here, and who may see everything."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import (
    GOOD,
    RUNS,
    OperatorAdmin,
    Shown,
    column,
    page_response,
)
from agents.admin.wording import UNKNOWN, ago, count
from agents.core.errors import UserError
from sessions.accounts import account_active_set, account_ensure, person_create, person_role_set
from sessions.admin.parts import list_link
from sessions.admin.person_form import PersonForm
from sessions.models import Person
from sessions.people import signin_link_create

LINK_MINUTES = 15


@admin.register(Person)
class PersonAdmin(OperatorAdmin):
    """Who may talk here, and who may see everything."""

    form = PersonForm
    list_display = ("name", "standing", "account", "zone", "sessions_count", "seen")
    list_filter = ("role", "language")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    form_select_related = ("user",)
    add_fieldsets = (
        (None, {"fields": (("name", "username"), "role", ("zone", "language"), "theme")}),
    )
    fieldsets = (
        (None, {"fields": ("name", ("role", "may_sign_in"), ("zone", "language"), "theme")}),
        (gettext_lazy("Account"), {"fields": (("account", "seen"), "created_at")}),
    )
    readonly_fields: ClassVar = ("account", "seen", "created_at")
    actions = ("signin_link",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of sessions."""
        rows: QuerySet[Any] = (
            super().get_queryset(request).annotate(sessions_number=Count("sessions"))
        )
        return rows

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: conversations belong to people. Whoever must go may no longer sign in."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Role and account through their services."""
        values = form.cleaned_data
        if not change:
            made = person_create(
                name=values["name"],
                username=values["username"],
                role=values["role"],
                zone=values["zone"],
                language=values["language"],
            )
            Person.objects.filter(pk=made.pk).update(theme=values["theme"])
            obj.pk = made.pk
            return
        person = Person.objects.get(pk=obj.pk)
        if "role" in form.changed_data:
            person_role_set(person=person, role=values["role"])
        if "may_sign_in" in form.changed_data:
            account_active_set(person=person, active=values["may_sign_in"])
        obj.save(update_fields=["name", "zone", "language", "theme"])

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> Any:
        """A new person needs a way in, so the link is shown at once."""
        return self._show_link(request, Person.objects.get(pk=obj.pk))

    @admin.action(description=gettext_lazy("Make a sign-in link"))
    def signin_link(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """For one person; it works once."""
        people = list(queryset[:2])
        if len(people) != 1:
            messages.error(request, _("Choose exactly one person."))
            return None
        try:
            return self._show_link(request, people[0])
        except UserError as error:
            messages.error(request, error.message)
            return None

    def _show_link(self, request: HttpRequest, person: Person) -> HttpResponse:
        account = account_ensure(person=person)
        if not account.is_active:
            raise UserError(_("%(name)s may not sign in.") % {"name": person})
        token = signin_link_create(person=person, minutes=LINK_MINUTES)
        words = ngettext(
            "It works once, within %(n)d minute.", "It works once, within %(n)d minutes.",
            LINK_MINUTES,
        )  # fmt: skip
        context = {
            "title": _("Sign-in link for %(name)s") % {"name": person},
            "secret": request.build_absolute_uri(reverse("sign_in_link", args=[token])),
            "words": words % {"n": LINK_MINUTES},
            "back": reverse("admin:agent_sessions_person_changelist"),
        }
        return page_response(self, request, "admin/shown_once.html", context)

    @column(gettext_lazy("role"), order="role", label={"owner": GOOD, "member": RUNS, "viewer": ""})
    def standing(self, person: Person) -> tuple[str, str]:
        """What they may do."""
        return person.role, person.get_role_display()

    @column(gettext_lazy("account"), order="user__username")
    def account(self, person: Person) -> str:
        """The user name, and whether it is switched off."""
        if person.user is None:
            return UNKNOWN
        name = person.user.get_username()
        return name if person.user.is_active else _("%(name)s (off)") % {"name": name}

    @column(gettext_lazy("sessions"), order="sessions_number")
    def sessions_count(self, person: Any) -> Shown:
        """How many are theirs."""
        return list_link("session", count(person.sessions_number), owner__id__exact=person.pk)

    @column(gettext_lazy("last sign-in"), order="user__last_login")
    def seen(self, person: Person) -> Shown:
        """How long ago."""
        return ago(person.user.last_login if person.user is not None else None)
