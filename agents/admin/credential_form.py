"""The form of a credential: what each kind needs, secrets write-only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.fields import NewSecretField, SealedJSONField, SuggestInput
from agents.catalog.environment import ENVIRONMENT_KEYS
from agents.config.paths import nearest
from agents.config.sections.auth_schema import profile_id
from agents.credentials.refreshers import token_address_problem
from agents.models import Agent, AuthProfile, Provider

# What `data` may hold. `expires` is in ms since the epoch; the rest is text.
_TEXTS = frozenset({
    "email", "displayName", "accountId", "tokenUrl", "clientId", "scope", "region", "accessKeyId",
    "awsProfile", "endpoint", "githubUrl",
})  # fmt: skip
_NUMBERS, _FLAGS = frozenset({"expires"}), frozenset({"listed"})
_KNOWN = _TEXTS | _NUMBERS | _FLAGS
_AWS, _OAUTH = AuthProfile.Mode.AWS, AuthProfile.Mode.OAUTH


def provider_names() -> list[str]:
    """The providers that there are, for suggestions."""
    return list(dict.fromkeys([*ENVIRONMENT_KEYS, *_stored_providers()]))


def _stored_providers() -> list[str]:
    return list(Provider.objects.values_list("name", flat=True))


def agent_slugs() -> list[str]:
    """The agents that there are, for suggestions."""
    return list(Agent.objects.values_list("slug", flat=True))


class AuthProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """A credential. The secrets go in and never come out."""

    new_secret = NewSecretField(label=gettext_lazy("Secret"))
    new_refresh = NewSecretField(label=gettext_lazy("Refresh token"))
    # Django's stubs know `data` only as what a form was sent.
    data = SealedJSONField(  # type: ignore[assignment]
        label=gettext_lazy("Further facts"),
        help_text=gettext_lazy(
            "OAuth: expires (ms since 1970), tokenUrl, clientId, scope, accountId. "
            "AWS: accessKeyId, region, awsProfile. Anybody: email."
        ),
    )

    class Meta:
        model = AuthProfile
        fields = ("name", "provider", "agent", "mode", "position", "enabled", "data")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, suggest in (("provider", provider_names), ("agent", agent_slugs)):
            if name in self.fields:
                self.fields[name].widget = SuggestInput(suggest)
        if self.instance.pk is None and "new_secret" in self.fields:
            self.fields["new_secret"].help_text = gettext_lazy(
                "The key or token; for AWS the secret key, or nothing for its own chain."
            )
            self.fields["new_refresh"].help_text = gettext_lazy("Only for OAuth.")

    def clean_name(self) -> str:
        """The id by which sessions and orders name it."""
        try:
            return profile_id(self.cleaned_data["name"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_agent(self) -> str:
        """An agent that there is, or nobody in particular."""
        slug: str = self.cleaned_data["agent"].strip().lower()
        if slug and slug not in agent_slugs():
            raise forms.ValidationError(_("There is no agent %(id)s.") % {"id": slug})
        return slug

    def clean_data(self) -> dict[str, Any]:
        """Known facts of the right kind."""
        data = self.cleaned_data["data"] or {}
        if not isinstance(data, dict):
            raise forms.ValidationError(_("Must be an object: {…}"))
        problems = list(filter(None, (_fact_problem(*item) for item in data.items())))
        if problems:
            raise forms.ValidationError(problems)
        return data

    def clean(self) -> dict[str, Any]:
        """What the kind needs is there, and a secret goes to no other provider."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return values
        if self.instance.pk is None:
            self._check_new(values)
        elif "provider" in self.changed_data and not values["new_secret"]:
            text = _("Put in a secret of the new provider: the stored one is another's.")
            self.add_error("new_secret", text)
        if values["new_refresh"] and values["mode"] != _OAUTH:
            self.add_error("new_refresh", _("Only OAuth has one: choose that kind, or leave it."))
        return values

    def _check_new(self, values: Mapping[str, Any]) -> None:
        if values["mode"] == _AWS:
            if values["data"].get("accessKeyId") and not values["new_secret"]:
                self.add_error("new_secret", _("The access key id needs its secret key."))
        elif not values["new_secret"] and not (values["mode"] == _OAUTH and values["new_refresh"]):
            self.add_error("new_secret", _("This field is required."))


def _fact_problem(key: str, value: Any) -> str:
    """What is wrong with one fact, "" for nothing."""
    if key not in _KNOWN:
        match = nearest(key, sorted(_KNOWN - _FLAGS))
        text = _("%(key)s is not known; did you mean %(match)s?") if match else ""
        text = text or _("%(key)s is not known. Secrets belong into the fields for them.")
        return text % {"key": key, "match": match}
    if key in _NUMBERS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and math.isfinite(value) and value > 0):
            return _("%(key)s must be a time in ms since 1970.") % {"key": key}
    elif key in _TEXTS and not isinstance(value, str):
        return _("%(key)s must be text.") % {"key": key}
    if key == "tokenUrl" and (problem := token_address_problem(value)):
        return f"tokenUrl {problem}"
    return ""
