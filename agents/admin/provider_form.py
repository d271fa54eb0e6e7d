"""The form of a model service."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ValidationError

from agents.admin.fields import (
    NewSecretField,
    SealedJSONField,
    SwitchField,
    TextInput,
    document_restored,
)
from agents.config.redaction import seal
from agents.config.schema import schema_errors
from agents.config.sections.models_schema import ProviderRow
from agents.models import Provider

# Where each key of the configuration document stands in the form.
_PLACES = {
    "baseUrl": "base_url",
    "api": "api",
    "headers": "headers",
    "timeoutSeconds": "timeout_seconds",
    "models": "catalog",
}


class ProviderForm(forms.ModelForm):  # type: ignore[type-arg]
    """A model service. The whole is checked as the configuration document would be."""

    base_url = forms.URLField(
        label=gettext_lazy("Base address"),
        required=False,
        max_length=500,
        assume_scheme="https",
        widget=TextInput(),
    )
    catalog = SealedJSONField(
        label=gettext_lazy("Models"),
        help_text=gettext_lazy(
            'A list such as [{"id": "my-model", "contextWindow": 128000}]. '
            "Empty lets any model be asked for."
        ),
    )
    headers = SealedJSONField(
        label=gettext_lazy("Extra headers"), help_text=gettext_lazy("Secrets are not shown.")
    )
    settings = SealedJSONField(label=gettext_lazy("Further settings"))
    new_key = NewSecretField(label=gettext_lazy("API key"))
    key_removed = SwitchField(label=gettext_lazy("Remove the API key"))

    class Meta:
        model = Provider
        fields = ()

    def clean(self) -> dict[str, Any] | None:
        """Nothing that the configuration document would refuse."""
        cleaned = super().clean()
        for name, empty in (("catalog", []), ("headers", {}), ("settings", {})):
            if name in self.cleaned_data:
                self._restore(name, empty)
        if not self.errors:
            self._check()
        for name in ("catalog", "headers", "settings"):
            if name in self.cleaned_data:
                document = {name: self.cleaned_data[name]}
                self.cleaned_data[name] = seal(document)[name]
        return cleaned

    def _restore(self, name: str, empty: Any) -> None:
        document = self.cleaned_data[name]
        document = empty if document is None else document
        if not isinstance(document, type(empty)):
            words = _("must be a list") if empty == [] else _("must be an object")
            self.add_error(name, words)
            return
        try:
            self.cleaned_data[name] = document_restored(document, getattr(self.instance, name))
        except forms.ValidationError as error:
            self.add_error(name, error)

    def _check(self) -> None:
        values = self.cleaned_data
        document = {key: values[place] for key, place in _PLACES.items() if values.get(place)}
        try:
            ProviderRow.model_validate({**values["settings"], **document})
        except ValidationError as error:
            for path, message in schema_errors(ProviderRow, error):
                place = _PLACES.get(str(path[0]), "settings")
                where = ".".join(map(str, path[1:]))
                self.add_error(place, f"{where}: {message}" if where else message)
