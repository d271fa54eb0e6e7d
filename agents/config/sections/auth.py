"""The `auth` section: credentials are rows, order and cooldowns a stored document."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from agents.config.documents import document_store, documents
from agents.config.issues import Findings
from agents.config.section import Document, Section
from agents.config.sections.auth_schema import AuthDocument, AuthProfileEntry, Cooldowns
from agents.models import AuthProfile, Provider

NAME = "auth"
# Set in a row's `data`: the document names it in `auth.profiles`, so it is no provider's apiKey.
LISTED = "listed"


class AuthSection(Section[AuthDocument]):
    """Credentials that a document leaves out are switched off, not removed: their secrets are in
    no document, so nothing could bring them back. Without `profiles` all stay as they are.
    """

    def check(self, typed: AuthDocument, findings: Findings) -> None:
        """Orders that name what is not there or is for another provider; steps beyond limits."""
        known = dict(AuthProfile.objects.values_list("name", "provider"))
        for name, entry in typed.profiles.items():
            if known.get(name, entry.provider) != entry.provider:
                text = _(
                    "this credential is stored for %(provider)s: write that, or use another id"
                )
                path = self.path("profiles", name, "provider")
                findings.error(path, text % {"provider": known[name]})
        known |= {name: entry.provider for name, entry in typed.profiles.items()}
        for provider, names in typed.order.items():
            self._check_order(provider, names, known, findings)
        self._check_cooldowns(typed.cooldowns, findings)

    def _check_order(
        self, provider: str, names: list[str], known: dict[str, str], findings: Findings
    ) -> None:
        for index, name in enumerate(names):
            path, values = self.path("order", provider, index), {"id": name, "other": ""}
            if name in names[:index]:
                findings.error(path, _("%(id)s stands twice in the list") % values)
            elif name not in known:
                text = _("there is no credential %(id)s yet; it is passed over until there is")
                findings.warn(path, text % values)
            elif known[name] != provider:
                text = _("%(id)s is for %(other)s and is passed over here")
                findings.warn(path, text % {**values, "other": known[name]})

    def _check_cooldowns(self, cooldowns: Cooldowns, findings: Findings) -> None:
        pairs = (
            ("maxBackoffSeconds", cooldowns.max_backoff_seconds, cooldowns.backoff_seconds),
            ("billingMaxHours", cooldowns.billing_max_hours, cooldowns.billing_backoff_hours),
        )
        for key, longest, first in pairs:
            if longest < first:
                text = _("is shorter than the first rest (%(first)g): raise it, or lower that")
                findings.error(self.path("cooldowns", key), text % {"first": first})

    def load(self, document: Document | None, typed: AuthDocument, findings: Findings) -> None:
        """Writes a row for each profile, its secret untouched."""
        document = document or {}
        if "profiles" in document:
            self._load_profiles(typed, findings)
        rest = {key: value for key, value in document.items() if key != "profiles"}
        document_store(name=NAME, document=rest or None)

    def _load_profiles(self, typed: AuthDocument, findings: Findings) -> None:
        gone = [
            row
            for row in _rows().filter(enabled=True).exclude(name__in=typed.profiles)
            if not _is_config_key(row)
        ]
        if gone:
            text = _("switched off because the document does not name them: %(names)s")
            names = ", ".join(row.name for row in gone)
            findings.warn(self.path("profiles"), text % {"names": names})
        for row in gone:
            row.enabled = False
            row.save(update_fields=["enabled", "updated_at"])
        for name, entry in typed.profiles.items():
            _profile_store(name, entry)

    def dump(self) -> Document | None:
        """The stored rest, and every credential that is no provider's apiKey."""
        result = dict(documents().get(NAME, {}))
        if profiles := {row.name: _entry(row) for row in _rows() if not _is_config_key(row)}:
            result = {"profiles": profiles, **result}
        return result or None

    def settings(self) -> Document:
        """Order and cooldowns; credentials are read through `agents.credentials`."""
        return dict(documents().get(NAME, {}))


def _rows() -> Any:
    # What is stored may be sealed with a key that is gone, and is not needed here.
    return AuthProfile.objects.defer("secret", "refresh").order_by("provider", "position", "name")


def _is_config_key(row: AuthProfile) -> bool:
    """Whether the row is shown as `models.providers.<provider>.apiKey` of the document."""
    is_named_so = row.name == f"{row.provider}:default" and row.mode == AuthProfile.Mode.API_KEY
    if not is_named_so or row.data.get(LISTED):
        return False
    return bool(Provider.objects.filter(name=row.provider).exists())


def _profile_store(name: str, entry: AuthProfileEntry) -> None:
    row = _rows().filter(name=name).first() or AuthProfile(name=name, data={LISTED: True})
    facts = {"email": entry.email, "displayName": entry.display_name}
    data = {key: value for key, value in row.data.items() if key not in facts}
    values = {
        "provider": entry.provider,
        "mode": entry.mode,
        "agent": entry.agent,
        "enabled": entry.enabled,
        "position": entry.position,
        "data": data | {key: value for key, value in facts.items() if value},
    }
    if row.pk is None:
        AuthProfile.objects.create(name=name, **values)
    elif any(getattr(row, field) != value for field, value in values.items()):
        for field, value in values.items():
            setattr(row, field, value)
        row.save(update_fields=[*values, "updated_at"])


def _entry(row: AuthProfile) -> Document:
    result: Document = {"provider": row.provider, "mode": row.mode}
    result |= {key: row.data[key] for key in ("email", "displayName") if row.data.get(key)}
    if row.agent:
        result["agent"] = row.agent
    if not row.enabled:
        result["enabled"] = False
    if row.position:
        result["position"] = row.position
    return result


SECTION = AuthSection(NAME, AuthDocument)
