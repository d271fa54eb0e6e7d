"""Form fields for secrets, for JSON with secrets in it, and for suggestions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.config.issues import Findings
from agents.config.redaction import redact, restore, unseal

if TYPE_CHECKING:
    from django.forms import CheckboxInput, PasswordInput, Select, Textarea, TextInput
else:
    from unfold.widgets import UnfoldAdminPasswordWidget as PasswordInput
    from unfold.widgets import UnfoldAdminSelectWidget as Select
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea
    from unfold.widgets import UnfoldAdminTextInputWidget as TextInput
    from unfold.widgets import UnfoldBooleanSwitchWidget as CheckboxInput


__all__ = [
    "LinesField",
    "NewSecretField",
    "SealedJSONField",
    "SuggestInput",
    "SwitchField",
    "TextInput",
    "Textarea",
    "WordField",
    "document_restored",
]


class NewSecretField(forms.CharField):
    """A secret that can be set and replaced, and is never shown. Empty keeps what is stored."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("help_text", gettext_lazy("Leave empty to keep what is stored."))
        attrs = {"autocomplete": "new-password", "spellcheck": "false"}
        super().__init__(widget=PasswordInput(attrs=attrs), max_length=20_000, **options)


class SealedJSONField(forms.JSONField):
    """JSON whose secrets are encrypted in the row and shown as a mark.

    `clean` gives the document with marks; `document_restored` puts the stored secrets back.
    """

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        widget = Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "oc-code"})
        super().__init__(widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Indented, secrets replaced by a mark; what the person typed stays as it is."""
        if isinstance(value, dict | list):
            return json.dumps(redact(unseal(value)), indent=2, ensure_ascii=False)
        return value


def document_restored(document: Any, stored: Any) -> Any:
    """`document` of a form with the secrets of the stored one where it has marks.

    Raises forms.ValidationError for a mark that stands for nothing.
    """
    findings = Findings()
    restored = restore(document, unseal(stored), findings)
    if findings.errors:
        raise forms.ValidationError([str(issue) for issue in findings.errors])
    return restored


class LinesField(forms.CharField):
    """A list with one item a line. Empty is None (inherit), a single "-" the empty list."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("required", False)
        super().__init__(widget=Textarea(attrs={"rows": 3, "spellcheck": "false"}), **options)

    def prepare_value(self, value: Any) -> Any:
        """One item a line."""
        if isinstance(value, list):
            return "\n".join(map(str, value)) or "-"
        return value or ""

    def clean(self, value: Any) -> list[str] | None:
        """The list. Raises ValidationError for an item that stands twice."""
        lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        if not lines:
            return None
        if lines == ["-"]:
            return []
        if len(set(lines)) < len(lines):
            raise forms.ValidationError(_("One of them stands twice."))
        return lines


class SwitchField(forms.BooleanField):
    """Yes or no."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, widget=CheckboxInput(), **options)


class WordField(forms.ChoiceField):
    """One word out of a few, in the theme's own select."""

    def __init__(self, words: Iterable[str], *, empty: Any = None, **options: Any) -> None:
        choices = [] if empty is None else [("", empty)]
        choices += [(word, word) for word in words]
        super().__init__(choices=choices, required=empty is None, widget=Select(), **options)


class SuggestInput(TextInput):
    """A text field that offers values without insisting on them. `suggest` is asked each time."""

    def __init__(self, suggest: Callable[[], Iterable[str]]) -> None:
        super().__init__(attrs={"autocomplete": "off", "spellcheck": "false"})
        self._suggest = suggest

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The field and its list of suggestions."""
        list_id = f"suggestions-{name}"
        field = super().render(name, value, {**(attrs or {}), "list": list_id}, renderer)
        options = format_html_join("", '<option value="{}">', ((text,) for text in self._suggest()))
        return format_html('{}<datalist id="{}">{}</datalist>', field, list_id, options)
