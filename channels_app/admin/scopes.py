"""What programs may do."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.principal import ALL_SCOPES
from sessions.models import Person


class ScopesField(forms.MultipleChoiceField):
    """Which scopes something has."""

    def __init__(self, **options: Any) -> None:
        from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

        choices = [(scope, scope) for scope in ALL_SCOPES]
        super().__init__(
            choices=choices,
            widget=UnfoldAdminCheckboxSelectMultipleWidget(),
            label=gettext_lazy("Scopes"),
            **options,
        )


def scopes_check(form: forms.ModelForm[Any], person: Person | None) -> None:
    """Nothing has a scope that its person does not have."""
    if person is None:
        return
    own = person.principal()
    foreign = [scope for scope in form.cleaned_data.get("scopes", ()) if not own.has_scope(scope)]
    if foreign:
        text = _("%(name)s does not have %(scopes)s.")
        form.add_error("scopes", text % {"name": person, "scopes": ", ".join(foreign)})
