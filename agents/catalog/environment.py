"""Providers that the environment names. They are never stored."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agents.catalog.known_providers import BEDROCK, KNOWN_PROVIDERS
from agents.providers.bedrock.credentials import AwsCredentials

# The variable that people are told to set, by provider.
ENVIRONMENT_KEYS: dict[str, str] = {
    name: known.keys[0] for name, known in KNOWN_PROVIDERS.items() if not known.is_local
}
OFFICIAL_ADDRESSES: dict[str, str] = {
    name: known.base_url for name, known in KNOWN_PROVIDERS.items()
}
MODEL_VARIABLE = "OPENCLAW_MODEL"
# What else changes what is found: Ollama's place, and AWS's credential chain.
_OTHER_VARIABLES = (
    "OLLAMA_HOST",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
# Without a key of its own the chain may still find one at these.
_CHAIN_VARIABLES = _OTHER_VARIABLES[-3:]
_WATCHED = frozenset(_OTHER_VARIABLES).union(*(k.variables for k in KNOWN_PROVIDERS.values()))


@dataclass(frozen=True, slots=True)
class EnvironmentProvider:
    """Where a service is and the key for it, either may be empty.

    `variable` is where the key came from. `is_shared` says that other programs use it too.
    """

    base_url: str
    api_key: str
    variable: str = ""
    is_shared: bool = False


def environment_provider(name: str) -> EnvironmentProvider:
    """What the environment says about the known provider `name`.

    An empty variable counts as unset; a provider that is not known has nothing.
    """
    known = KNOWN_PROVIDERS.get(name)
    if known is None:
        return EnvironmentProvider("", "")
    address = _variable(known.address).rstrip("/")
    for variable in (*known.keys, *known.shared_keys):
        if value := _variable(variable):
            key = _aws_key(variable) if name == BEDROCK else value
            return EnvironmentProvider(address, key, variable, variable in known.shared_keys)
    if name == BEDROCK and (found := next(filter(_variable, _CHAIN_VARIABLES), "")):
        return EnvironmentProvider(address, AwsCredentials().packed(), found, is_shared=True)
    return EnvironmentProvider(address, "")


def _aws_key(variable: str) -> str:
    """What the client of Bedrock needs, in one text."""
    region = _variable("AWS_REGION") or _variable("AWS_DEFAULT_REGION")
    if variable == "AWS_BEARER_TOKEN_BEDROCK":
        return AwsCredentials(bearer=_variable(variable), region=region).packed()
    # Pairs and profiles are left to AWS's own chain, which knows their order and renews them.
    return AwsCredentials(region=region).packed()


def environment_model() -> str:
    """OPENCLAW_MODEL, the model of everybody, or ""."""
    return _variable(MODEL_VARIABLE)


def environment_signature() -> tuple[str, ...]:
    """Changes whenever one of the variables does. Cheap: it is asked for on every turn."""
    found = [name for name in os.environ if name in _WATCHED]
    return tuple(f"{name}={os.environ.get(name, '')}" for name in found)


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()
