"""From the id of a credential back to its provider and its secret."""

from __future__ import annotations

import os

from agents.catalog.environment import environment_provider
from agents.catalog.known_providers import KNOWN_PROVIDERS
from agents.config.selectors import text_resolve
from agents.credentials.refreshers import refreshable
from agents.credentials.vault import stored_key, vault

ENVIRONMENT, CONFIG, AWS, NONE = "env", "config", "aws", "none"
OAUTH_ENDING = "_OAUTH_TOKEN"
_LONGEST_MODEL = 200


def credential_id(source: str, provider: str) -> str:
    """The id of a credential that has no row."""
    return f"{source}:{provider}"


def key_of(credential: str) -> tuple[str, str]:
    """(provider, secret) of a credential as it is now; the secret is "" when there is none."""
    if stored := vault().by_name.get(credential):
        return stored.provider, stored_key(stored)
    source, _, provider = credential.partition(":")
    if source == ENVIRONMENT:
        return provider, environment_key(provider)[0]
    if source == CONFIG:
        return provider, reference_key(provider)
    return provider, ""


def environment_key(provider: str) -> tuple[str, str]:
    """(key, variable) of the environment for a known provider, both "" when there is none.

    The variable of an OAuth token goes before that of a key (runtime.md 2.9).
    """
    known = KNOWN_PROVIDERS.get(provider)
    for variable in known.keys if known else ():
        if variable.endswith(OAUTH_ENDING) and (token := os.environ.get(variable, "").strip()):
            return token, variable
    found = environment_provider(provider)
    return found.api_key, found.variable


def reference_key(provider: str) -> str:
    """The key of a provider whose `apiKey` names a variable, "" when it is not set."""
    facts = vault().providers.get(provider)
    if facts is None or facts.key_reference.get("source") != "env":
        return ""
    return text_resolve("${" + str(facts.key_reference.get("id")) + "}").strip()


def keeps_account(credential: str) -> bool:
    """Whether a new secret may be just a renewed token of the same account."""
    stored = vault().by_name.get(credential)
    return stored is not None and refreshable(stored)


def provider_of(credential: str) -> str:
    """The provider that a credential is for."""
    stored = vault().by_name.get(credential)
    return stored.provider if stored else credential.partition(":")[2]


def model_key(credential: str, model: str) -> str:
    """What a model is called in states: its id, also when its full name was given."""
    return model.removeprefix(f"{provider_of(credential)}/")[:_LONGEST_MODEL]
