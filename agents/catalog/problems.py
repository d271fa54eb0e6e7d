"""What is missing before a provider can be used, said so that it can be set right."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.catalog.environment import ENVIRONMENT_KEYS
from agents.catalog.known_providers import BEDROCK, COPILOT
from agents.config.substitution import references
from agents.core.addresses import address_is_near
from agents.core.model import ModelInfo

_KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_KEY_NOT_SET = gettext_lazy(
    "The API key of %(name)s is in the environment variable %(keys)s, which is not set."
)
_MISSING_KEY = gettext_lazy(
    "The provider %(name)s has no API key. Set it in models.providers.%(name)s.apiKey or as a "
    "credential in the administration."
)
_MISSING_KEY_OF_VENDOR = gettext_lazy(
    "The provider %(name)s has no API key. Set %(variable)s, or add it in "
    "models.providers.%(name)s.apiKey or as a credential in the administration."
)
_MISSING_SIGN_IN = gettext_lazy(
    "Nobody has signed in to GitHub Copilot. Run manage.py auth login %(name)s, use the button in "
    "the administration, or set %(variable)s."
)
_MISSING_AWS = gettext_lazy(
    "The provider %(name)s has no AWS credential. Set %(variable)s, AWS_PROFILE, or "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, add a credential in the administration, or write "
    'models.providers.%(name)s.auth: "aws-sdk" on a machine of AWS that has a role.'
)
_MISSING = {BEDROCK: _MISSING_AWS, COPILOT: _MISSING_SIGN_IN}


def key_problem(template: ModelInfo, raw_key: str) -> str:
    """What to set before the provider can be used, "" for nothing.

    `raw_key` is the stored key, which may be a reference to a variable. Services close by may
    need no key.
    """
    if template.api_key or has_key_header(template.headers):
        return ""
    values = {
        "name": template.provider,
        "variable": ENVIRONMENT_KEYS.get(template.provider, ""),
        "keys": ", ".join(references(raw_key)),
    }
    if raw_key:
        return _KEY_NOT_SET % values
    if address_is_near(template.base_url):
        return ""
    if template.provider in _MISSING:
        return _MISSING[template.provider] % values
    return (_MISSING_KEY_OF_VENDOR if values["variable"] else _MISSING_KEY) % values


def has_key_header(headers: Mapping[str, str]) -> bool:
    """Whether the key is among the extra headers, so that none else is needed."""
    return any(name.lower() in _KEY_HEADERS for name in headers)


def unusable_api(name: str, api: str) -> str:
    """The sentence for a provider whose wire format cannot be spoken."""
    text = _("The provider %(name)s speaks %(api)s, which this version cannot.")
    return text % {"name": name, "api": api}
