"""One credential as a model call uses it. Knows no framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from agents.core.model import ModelInfo
from agents.providers.bedrock.credentials import credentials_pack

CredentialKind = Literal["api_key", "token", "oauth", "aws", "none"]
BEDROCK_API = "bedrock-converse-stream"
# Key of `ModelInfo.compat` under which a client finds which kind of credential it was given.
COMPAT_KEY = "credential"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a call is made with, and whether it should be made now.

    `id` is the name of a row, or "env:<provider>", "config:<provider>", "aws:<provider>",
    "none:<provider>". `layer` is the step of the resolution that found it (1 to 6; 0 for services
    that need no key). `data` has what is needed beside the key (`expires`, `region`,
    `accountId`, …). `permanent` means refused until the secret is put in anew; `refreshable`
    that a new token can be had without a person.
    """

    id: str
    provider: str
    kind: CredentialKind
    layer: int
    key: str = field(default="", repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    rests_until: datetime | None = None
    reason: str = ""
    permanent: bool = False
    refreshable: bool = False

    @property
    def usable(self) -> bool:
        """Whether nothing speaks against a call now."""
        return self.rests_until is None and not self.permanent


def model_with(model: ModelInfo, credential: Credential) -> ModelInfo:
    """`model` as it is called with `credential`: its key, and its id as `profile`.

    For AWS the key is packed with its facts, because a model has one place for a secret. For OAuth
    and other tokens `compat["credential"]` tells the client their kind, and that is all.
    """
    key, compat = credential.key, model.compat
    if model.api == BEDROCK_API and not key.startswith("{"):
        key = credentials_pack(dict(credential.data), key, kind=_aws_kind(credential))
    if credential.kind in ("oauth", "token"):
        compat = {**compat, COMPAT_KEY: credential.kind}
    return replace(model, api_key=key, profile=credential.id, compat=compat)


def _aws_kind(credential: Credential) -> str:
    return credential.kind if credential.key and credential.kind != "aws" else "aws"


def soonest_end(credentials: Iterable[Credential]) -> datetime | None:
    """When the first of those that rest may be used again; None when none will by itself."""
    ends = [one.rests_until for one in credentials if one.rests_until and not one.permanent]
    return min(ends, default=None)
