"""The `auth` section as a model (runtime.md 17, automation.md 7.3)."""

from __future__ import annotations

from typing import Annotated, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.schema import Strict, validated
from agents.models import AGENT_ID, SLUG

# What ids of credentials without a row begin with.
RESERVED_PREFIXES = ("env:", "config:", "aws:", "none:")
_LONGEST_NAME = 120
Hours = Annotated[float, Field(gt=0, le=24 * 365, strict=False)]
Seconds = Annotated[float, Field(ge=1, le=24 * 3600, strict=False)]
Minutes = Annotated[float, Field(gt=0, le=24 * 60 * 30, strict=False)]
Provider = Annotated[str, AfterValidator(lambda value: validated(SLUG, value))]


def profile_id(value: str) -> str:
    """The id of a credential, such as openai:work. Raises ValueError for one that cannot be."""
    if not value.strip() or value != value.strip() or len(value) > _LONGEST_NAME:
        raise ValueError(_("must have 1 to 120 characters and no space at its ends"))
    if value.startswith(RESERVED_PREFIXES):
        text = _("must not begin with %(prefix)s: that names a key that has no row")
        raise ValueError(text % {"prefix": value.partition(":")[0] + ":"})
    return value


ProfileId = Annotated[str, AfterValidator(profile_id)]


class AuthProfileEntry(Strict):
    """What may be known of a credential: everything but its secret.

    `agent` is the only agent that may use it; `enabled` false keeps it out of use.
    """

    provider: Provider
    mode: Literal["api_key", "token", "oauth", "aws"] = "api_key"
    email: str = Field(default="", max_length=200)
    display_name: str = Field(default="", max_length=200)
    agent: Annotated[str, AfterValidator(lambda v: validated(AGENT_ID, v) if v else v)] = ""
    enabled: bool = True
    position: int = Field(default=0, ge=0, le=1_000_000)


class Cooldowns(Strict):
    """How long credentials rest.

    `backoff_seconds` doubles up to `max_backoff_seconds`, the hours of an unpaid bill up to
    `billing_max_hours`. Without `auth_permanent_backoff_minutes` a key that is refused for good
    rests until it is put in anew. The rotations bound how many credentials are tried for one
    model before the next model of the chain.
    """

    backoff_seconds: Seconds = 60
    max_backoff_seconds: Seconds = 3600
    billing_backoff_hours: Hours = 5
    billing_backoff_hours_by_provider: dict[Provider, Hours] = {}
    billing_max_hours: Hours = 24
    auth_permanent_backoff_minutes: Minutes | None = None
    auth_permanent_max_minutes: Minutes = 60
    failure_window_hours: Hours = 24
    overloaded_profile_rotations: int = Field(default=1, ge=0, le=100)
    overloaded_backoff_ms: int = Field(default=0, ge=0, le=60_000)
    rate_limited_profile_rotations: int = Field(default=1, ge=0, le=100)


class AuthDocument(Strict):
    """The whole section. Secrets are never part of it.

    A provider that `order` names uses the credentials listed there, in that order, and no other
    stored ones.
    """

    profiles: dict[ProfileId, AuthProfileEntry] = {}
    order: dict[Provider, list[ProfileId]] = {}
    cooldowns: Cooldowns = Cooldowns()
