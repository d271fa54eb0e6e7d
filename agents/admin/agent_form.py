"""The form of an agent."""

from __future__ import annotations

from typing import Any, get_args

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.fields import (
    LinesField,
    SealedJSONField,
    SuggestInput,
    WordField,
    document_restored,
)
from agents.catalog.listing import models_list
from agents.catalog.resolve import resolve_model
from agents.config.redaction import seal
from agents.core.errors import UserError
from agents.core.messages import ThinkingLevel
from agents.models import Agent
from agents.services import RESERVED_SLUGS
from agents.workspace import workspace_problem

_MODEL_HELP = gettext_lazy("provider/model or an alias. Empty inherits the default model.")


def model_names() -> list[str]:
    """The models that can be used now, for suggestions."""
    try:
        return [model.ref for model in models_list()]
    except UserError:
        # A stored key that cannot be opened must not shut the page on which to replace it.
        return []


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]
    """An agent. What the services would refuse is told beside the field."""

    fallbacks = LinesField(
        label=gettext_lazy("Fallback models"),
        help_text=gettext_lazy(
            "One a line, tried in order. Empty inherits; a single - switches fallbacks off."
        ),
    )
    settings = SealedJSONField(
        label=gettext_lazy("Further settings"),
        help_text=gettext_lazy(
            "The rest of the agent's entry in the configuration document. Secrets are not shown."
        ),
    )

    class Meta:
        model = Agent
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        model = self.fields["model"]
        model.widget, model.help_text = SuggestInput(model_names), _MODEL_HELP
        self.fields["thinking"] = WordField(
            get_args(ThinkingLevel), empty=_("inherit"), label=self.fields["thinking"].label
        )

    def clean_slug(self) -> str:
        """No word that the configuration document uses beside ids."""
        slug = str(self.cleaned_data["slug"]).lower()
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError(_("%(id)s is a reserved word.") % {"id": slug})
        return slug

    def clean_model(self) -> str:
        """A model that can be used."""
        model = str(self.cleaned_data["model"] or "").strip()
        if model and "model" in self.changed_data:
            try:
                resolve_model(ref=model)
            except UserError as error:
                raise forms.ValidationError(error.message) from error
        return model

    def clean_workspace(self) -> str:
        """A folder that holds none of the gateway's own secrets."""
        workspace = str(self.cleaned_data["workspace"] or "").strip()
        if problem := workspace_problem(workspace):
            raise forms.ValidationError(problem)
        return workspace

    def clean_settings(self) -> dict[str, Any]:
        """An object, secrets back in their places and encrypted."""
        document = self.cleaned_data["settings"]
        document = {} if document is None else document
        if not isinstance(document, dict):
            raise forms.ValidationError(_("must be an object"))
        sealed: dict[str, Any] = seal(document_restored(document, self.instance.settings))
        return sealed

    def clean(self) -> dict[str, Any] | None:
        """There is always one default agent, and it is switched on."""
        cleaned = super().clean()
        was_default = bool(self.initial.get("is_default")) and self.instance.pk is not None
        if was_default and not self.cleaned_data.get("is_default"):
            self.add_error("is_default", _("Make another agent the default instead."))
        elif self.cleaned_data.get("is_default") and not self.cleaned_data.get("enabled"):
            self.add_error("enabled", _("The default agent cannot be switched off."))
        return cleaned

    def _get_validation_exclusions(self) -> set[str]:
        """The service keeps to one default by taking that from the one before."""
        excluded: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return {*excluded, "is_default"}
