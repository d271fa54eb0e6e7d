"""The `models` section: providers and their keys are rows, the rest is a stored document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.catalog.environment import environment_provider
from agents.catalog.known_providers import KNOWN_PROVIDERS
from agents.config.documents import document_store, documents
from agents.config.issues import Findings
from agents.config.redaction import seal, unseal
from agents.config.schema import schema_errors
from agents.config.section import Document, Section
from agents.config.sections.auth import LISTED
from agents.config.sections.models_schema import (
    API_ADVICE,
    API_STAND_INS,
    ModelsDocument,
    ProviderRow,
    SecretRef,
    api_spoken,
    api_usable,
)
from agents.models import AuthProfile, Provider
from agents.providers.openai_completions.compat import compat_demands

NAME = "models"
# Keys of a provider that are columns of its row or a credential; the rest goes to `settings`.
_COLUMNS = ("api", "baseUrl", "apiKey", "headers", "timeoutSeconds", "models")


def profile_name(provider: str) -> str:
    """The credential that `apiKey` of the document stands for."""
    return f"{provider}:default"


def config_keys(providers: Iterable[str]) -> QuerySet[AuthProfile]:
    """The rows behind `apiKey` of these providers; not those that `auth.profiles` lists."""
    names = [profile_name(name) for name in providers]
    rows = AuthProfile.objects.filter(name__in=names, mode=AuthProfile.Mode.API_KEY)
    own = [pk for pk, data in rows.values_list("pk", "data") if not data.get(LISTED)]
    return AuthProfile.objects.filter(pk__in=own)


class ModelsSection(Section[ModelsDocument]):
    """Providers that a document leaves out are removed, together with their default key."""

    def check(self, typed: ModelsDocument, findings: Findings) -> None:
        """Missing addresses, keys of the wrong kind, formats that cannot be spoken yet."""
        for name, row in typed.providers.items():
            path = self.path("providers", name)
            if not row.base_url and name not in KNOWN_PROVIDERS:
                findings.error((*path, "baseUrl"), _("is required"))
            self._check_api(path, row.api, findings)
            found = environment_provider(name)
            if found.api_key and not found.is_shared:
                text = _("%(name)s is set and is used in place of apiKey and baseUrl")
                findings.warn(path, text % {"name": found.variable})
            self._check_key(name, row, findings)
            self._check_models(name, row, findings)

    def _check_api(self, path: tuple[str | int, ...], api: str, findings: Findings) -> None:
        if api in API_ADVICE:
            text = _("%(api)s cannot be spoken, so its models cannot be used: %(advice)s")
            findings.warn((*path, "api"), text % {"api": api, "advice": API_ADVICE[api]})

    def _check_key(self, name: str, row: ProviderRow, findings: Findings) -> None:
        path = self.path("providers", name, "apiKey")
        if row.api_key is None or isinstance(row.api_key, str):
            return
        if not isinstance(row.api_key, dict):
            findings.error(path, _("must be text or a secret reference"))
            return
        try:
            reference = SecretRef.model_validate(row.api_key)
        except ValidationError as error:
            for step, message in schema_errors(SecretRef, error):
                findings.error((*path, *step), message)
            return
        if reference.source != "env":
            text = _("secrets from %(source)s cannot be read yet: the provider has no key")
            findings.warn(path, text % {"source": reference.source})

    def _check_models(self, name: str, row: ProviderRow, findings: Findings) -> None:
        seen: set[str] = set()
        for index, model in enumerate(row.models):
            if model.api in API_ADVICE:
                path = self.path("providers", name, "models", index)
                text = _("%(api)s cannot be spoken: %(advice)s")
                values = {"api": model.api, "advice": API_ADVICE[model.api]}
                findings.error((*path, "api"), text % values)
            self._check_compat(name, index, model.compat, findings)
            if model.id in seen:
                text = _("the model %(id)s stands twice in the list")
                path = self.path("providers", name, "models", index, "id")
                findings.error(path, text % {"id": model.id})
            seen.add(model.id)

    def _check_compat(
        self, name: str, index: int, compat: dict[str, Any], findings: Findings
    ) -> None:
        for key, choices in compat_demands(compat).items():
            path = self.path("providers", name, "models", index, "compat", key)
            text = _("must be one of: %(choices)s") if choices else _("must be an object")
            findings.error(path, text % {"choices": ", ".join(choices)})

    def load(self, document: Document | None, typed: ModelsDocument, findings: Findings) -> None:
        """Writes a row and a credential for each provider that can be used."""
        document = document or {}
        given: Document = document.get("providers", {})
        usable = [name for name in given if api_usable(typed.providers[name].api)]
        gone = Provider.objects.exclude(name__in=usable)
        names = sorted(gone.values_list("name", flat=True))
        if lost := [name for name in names if name not in given]:
            text = _("removed because the document does not name them: %(names)s")
            findings.warn(self.path("providers"), text % {"names": ", ".join(lost)})
        config_keys(names).delete()
        gone.delete()
        for name in usable:
            _provider_store(name, given[name])
        rest = {key: value for key, value in document.items() if key != "providers"}
        if others := {name: row for name, row in given.items() if name not in usable}:
            rest["providers"] = others
        document_store(name=NAME, document=rest or None)

    def dump(self) -> Document | None:
        """The stored rest with every provider in its place."""
        result = dict(documents().get(NAME, {}))
        providers_rows = list(Provider.objects.order_by("id"))
        own = config_keys([row.name for row in providers_rows])
        keys = dict(own.values_list("name", "secret"))
        rows = {
            row.name: _provider_dump(row, keys.get(profile_name(row.name), ""))
            for row in providers_rows
        }
        if providers := {**rows, **result.pop("providers", {})}:
            result["providers"] = providers
        return result or None

    def settings(self) -> Document:
        """Everything but the providers, which are read through `agents.catalog`."""
        return {
            key: value for key, value in documents().get(NAME, {}).items() if key != "providers"
        }


def _provider_store(name: str, raw: Document) -> None:
    rest: dict[str, Any] = {key: value for key, value in raw.items() if key not in _COLUMNS}
    key = raw.get("apiKey")
    if isinstance(key, dict):
        rest["apiKey"] = key
    known = KNOWN_PROVIDERS.get(name)
    api = raw.get("api", known.api if known else Provider.Api.OPENAI_COMPLETIONS)
    if api in API_STAND_INS:
        # The document gets its own word back.
        rest["api"] = api
    Provider.objects.update_or_create(
        name=name,
        defaults={
            "api": api_spoken(api),
            "base_url": raw.get("baseUrl", ""),
            "headers": seal({"headers": raw.get("headers", {})})["headers"],
            "timeout_seconds": raw.get("timeoutSeconds"),
            "catalog": seal(raw.get("models", [])),
            "settings": seal(rest),
        },
    )
    if isinstance(key, str) and key:
        # From now on it is the provider's own key, whatever it was before.
        values = {"provider": name, "secret": key, "mode": AuthProfile.Mode.API_KEY, "data": {}}
        AuthProfile.objects.update_or_create(name=profile_name(name), defaults=values)
    else:
        config_keys([name]).delete()


def _provider_dump(row: Provider, key: str) -> Document:
    result: Document = {"baseUrl": row.base_url} if row.base_url else {}
    if key:
        result["apiKey"] = key
    result["api"] = row.api
    if row.headers:
        result["headers"] = unseal(row.headers)
    if row.timeout_seconds is not None:
        result["timeoutSeconds"] = row.timeout_seconds
    if row.catalog:
        result["models"] = unseal(row.catalog)
    rest = unseal(row.settings)
    # The word that stood for the format, unless the row was changed to another one since.
    if api_spoken(rest.get("api", "")) != row.api:
        rest.pop("api", None)
    return {**result, **rest}


SECTION = ModelsSection(NAME, ModelsDocument)
