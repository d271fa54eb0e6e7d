"""AWS credentials as one text, because `ModelInfo` has one place for a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import orjson

from agents.core.errors import ProviderError

DEFAULT_REGION = "us-east-1"
_HOST = re.compile(r"bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.")


@dataclass(frozen=True, slots=True)
class AwsCredentials:
    """Who signs the requests: a bearer token, a pair of keys, a profile, or nobody in particular.

    Without any of them AWS's own chain is asked: environment, shared files, container, machine.
    `region` "" is found out by `region_for`.
    """

    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    profile: str = ""
    bearer: str = field(default="", repr=False)
    region: str = ""

    def packed(self) -> str:
        """The text for `ModelInfo.api_key`; `credentials_unpack` reads it."""
        return orjson.dumps({name: value for name, value in asdict(self).items() if value}).decode()


def credentials_unpack(api_key: str) -> AwsCredentials:
    """The credentials in `api_key`. A text that is no object is a bearer token, "" the chain.

    Raises ProviderError (auth) when an object does not hold what it should.
    """
    if not api_key.startswith("{"):
        return AwsCredentials(bearer=api_key)
    try:
        found = AwsCredentials(**orjson.loads(api_key))
    except (ValueError, TypeError) as error:
        text = "the AWS credential is damaged; put it in again"
        raise ProviderError(text, reason="auth") from error
    if bool(found.access_key) != bool(found.secret_key):
        missing = "secret key" if found.access_key else "access key id"
        text = f"the AWS credential has no {missing}; add it or remove the other half"
        raise ProviderError(text, reason="auth")
    return found


def credentials_pack(data: Mapping[str, object], secret: str, *, kind: str = "aws") -> str:
    """The text for a stored credential: its facts (`accessKeyId`, `sessionToken`, `awsProfile`,
    `region`) and its secret, the secret key for `kind` aws and a bearer token otherwise.
    """

    def fact(name: str) -> str:
        return str(data.get(name) or "")

    if kind != "aws":
        return AwsCredentials(bearer=secret, region=fact("region")).packed()
    return AwsCredentials(
        access_key=fact("accessKeyId"),
        secret_key=secret,
        session_token=fact("sessionToken"),
        profile=fact("awsProfile"),
        region=fact("region"),
    ).packed()


def region_of(base_url: str) -> str:
    """The region that an address of AWS names, "" when it names none."""
    found = _HOST.search(base_url)
    return found.group(1) if found else ""
