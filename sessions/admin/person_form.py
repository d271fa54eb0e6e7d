"""The form of a person."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.fields import SuggestInput, SwitchField, WordField
from sessions.models import Person


def zone_names() -> list[str]:
    """Time zones, for suggestions."""
    return sorted(available_timezones())


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]
    """A person. For a new one an account without password is made; a link lets them in."""

    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        required=False,
        help_text=gettext_lazy("Empty makes one from the name."),
    )
    may_sign_in = SwitchField(label=gettext_lazy("May sign in"), initial=True)

    class Meta:
        model = Person
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "zone" in self.fields:
            self.fields["zone"].widget = SuggestInput(zone_names)
        if "username" in self.fields:
            self.fields["username"].widget = SuggestInput(list)
        user = self.instance.user
        self.initial["may_sign_in"] = user.is_active if user is not None else True
        if "language" in self.fields:
            codes = [code for code, _name in settings.LANGUAGES]
            self.fields["language"] = WordField(codes, label=self.fields["language"].label)

    def clean_zone(self) -> str:
        """A zone that this machine knows."""
        zone = str(self.cleaned_data["zone"])
        if zone not in available_timezones():
            raise forms.ValidationError(
                _("Unknown time zone %(zone)s; use one such as Europe/Paris.") % {"zone": zone}
            )
        return zone

    def clean(self) -> dict[str, Any] | None:
        """Somebody must be left who can get in here."""
        cleaned = super().clean()
        stored = Person.objects.filter(pk=self.instance.pk, role=Person.Role.OWNER).first()
        if stored is not None and not self._others():
            if self.cleaned_data.get("role") != Person.Role.OWNER:
                self.add_error("role", _("This is the last owner; make somebody else one first."))
            if not self.cleaned_data.get("may_sign_in"):
                self.add_error("may_sign_in", _("This is the last owner."))
        return cleaned

    def _others(self) -> bool:
        owners = Person.objects.filter(role=Person.Role.OWNER, user__is_active=True)
        return owners.exclude(pk=self.instance.pk).exists()
