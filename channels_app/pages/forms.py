"""The forms of the pages: they check shape, the services check meaning."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from sessions.models import Person

_INPUT = {"class": "input"}


def _styled(form: forms.BaseForm) -> None:
    for field in form.fields.values():
        is_select = isinstance(field.widget, forms.Select)
        field.widget.attrs.setdefault("class", "select" if is_select else "input")


class SignInForm(AuthenticationForm):
    """Name and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _styled(self)


class ProfileForm(forms.Form):
    """What people set for themselves."""

    name = forms.CharField(
        label=_("Name"), max_length=120, help_text=_("How agents should call you.")
    )
    zone = forms.ChoiceField(
        label=_("Time zone"), help_text=_("Times on the pages and in the agents' prompts.")
    )
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    theme = forms.ChoiceField(label=_("Theme"), choices=Person.Theme.choices)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(available_timezones())
        self.fields["zone"].choices = [(zone, zone.replace("_", " ")) for zone in zones]  # type: ignore[attr-defined]
        _styled(self)


def password_form(user: User, data: Any = None) -> SetPasswordForm[User]:
    """Asks for the old password only where there is one."""
    kind = PasswordChangeForm if user.has_usable_password() else SetPasswordForm
    form = kind(user, data)
    _styled(form)
    for field in form.fields.values():
        # It is one of two forms of its page; nothing there takes the focus by itself.
        field.widget.attrs.pop("autofocus", None)
    return form


class AgentForm(forms.Form):
    """A new agent: a name, and what it inherits unless stated."""

    name = forms.CharField(
        label=_("Name"),
        max_length=64,
        widget=forms.TextInput(attrs=_INPUT | {"autocomplete": "off"}),
        help_text=_("Its id is made from it: Research helper becomes research-helper."),
    )
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        required=False,
        widget=forms.TextInput(
            attrs=_INPUT | {"list": "model-names", "placeholder": _("the default model")}
        ),
        help_text=_("provider/model; empty means the default."),
    )
    workspace = forms.CharField(
        label=_("Workspace"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs=_INPUT),
        help_text=_("A folder of its own; empty means one beside the others."),
    )
