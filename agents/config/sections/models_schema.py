"""The `models` section as a model (automation.md 7.3)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import AfterValidator, Field

from agents.config.schema import Kept, Strict, validated
from agents.config.sections.params_schema import Headers, Params, Wrappers
from agents.models import SLUG, Provider

# Wire formats of the reference. Some are spoken as another one, two not at all.
Api = Literal[
    "openai-completions",
    "openai-responses",
    "openai-codex-responses",
    "azure-openai-responses",
    "anthropic-messages",
    "google-generative-ai",
    "google-vertex",
    "bedrock-converse-stream",
    "github-copilot",
    "mistral-conversations",
    "ollama",
]
# Azure's own address (…/openai/v1) takes OpenAI's requests, and Mistral's takes Chat Completions.
API_STAND_INS: dict[str, str] = {
    "azure-openai-responses": Provider.Api.OPENAI_RESPONSES,
    "mistral-conversations": Provider.Api.OPENAI_COMPLETIONS,
}
USABLE_APIS: frozenset[str] = frozenset((*Provider.Api.values, *API_STAND_INS))
# What to write in place of a format that is not spoken.
API_ADVICE: dict[str, Any] = {
    "openai-codex-responses": gettext_lazy(
        "it needs a ChatGPT sign-in; use openai-responses with an API key"
    ),
    "google-vertex": gettext_lazy(
        "it needs a Google Cloud sign-in; use google-generative-ai with a Gemini API key"
    ),
}
# A wire format that a plugin brings is called after it: its id, a slash, a name.
_PLUGIN_API = re.compile(r"[\w.-]+/[\w.-]+\Z")


def _api(value: str) -> str:
    known = get_args(Api)
    if value not in known and (len(value) > 40 or not _PLUGIN_API.match(value)):
        *most, last = map(repr, known)
        values = f"{', '.join(most)} or {last}"
        raise ValueError(_("must be one of %(values)s") % {"values": values})
    return value


AnyApi = Annotated[str, AfterValidator(_api)]
Tokens = Annotated[int, Field(ge=1, le=1_000_000_000)]
Money = Annotated[float, Field(ge=0, le=1_000_000)]


def _provider_name(value: str) -> str:
    validated(SLUG, value)
    if value == "rehearsal":
        raise ValueError(_("rehearsal is built in and cannot be defined"))
    return value


def address_check(value: str) -> str:
    """An http(s) address without credentials in it. Raises ValueError otherwise."""
    try:
        url = urlsplit(value)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        usable = False
    if value and not usable:
        raise ValueError(_("must be an address such as https://host:port/v1"))
    if "@" in urlsplit(value).netloc:
        raise ValueError(_("must hold no user name or password: use apiKey or headers"))
    return value


Address = Annotated[str, Field(max_length=500), AfterValidator(address_check)]


class SecretRef(Strict):
    """A secret that is kept elsewhere (automation.md 7.1)."""

    source: Literal["env", "file", "exec"]
    provider: str = "default"
    id: str = Field(min_length=1)


class Tier(Strict):
    """What a call costs whose prompt is longer than the first number of `range`, in tokens."""

    range: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=2)]
    input: Money = 0
    output: Money = 0
    cache_read: Money = 0
    cache_write: Money = 0


class Cost(Strict):
    """US dollars per million tokens."""

    input: Money = 0
    output: Money = 0
    cache_read: Money = 0
    cache_write: Money = 0
    tiered_pricing: list[Tier] = []


class ModelRow(Strict):
    """One model of a provider. What is missing comes from what is known of the id."""

    id: str = Field(min_length=1, max_length=200)
    name: str = ""
    reasoning: bool | None = None
    input: list[Literal["text", "image", "audio", "video", "document"]] | None = None
    cost: Cost | None = None
    context_window: Tokens | None = None
    context_tokens: Tokens | None = None
    max_tokens: Tokens | None = None
    params: Params = {}
    headers: Headers = {}
    compat: dict[str, Any] = {}
    api: AnyApi | None = None
    base_url: Address = ""


class ProviderRow(Strict):
    """One model service. `api_key` is text or, as an object, a secret kept elsewhere."""

    base_url: Address = ""
    api_key: Any = None
    api: AnyApi = "openai-completions"
    headers: Headers = {}
    timeout_seconds: int | None = Field(default=None, ge=1, le=24 * 3600)
    params: Params = {}
    wrappers: Wrappers | None = None
    models: list[ModelRow] = []
    auth: Literal["api-key", "aws-sdk", "oauth", "token"] | None = None
    auth_header: Kept = None
    request: Kept = None


class ModelsDocument(Strict):
    """The whole section. `mode` replace leaves out what is known of models by itself."""

    mode: Literal["merge", "replace"] = "merge"
    providers: dict[Annotated[str, AfterValidator(_provider_name)], ProviderRow] = {}
    pricing: Kept = None


def api_usable(api: str) -> bool:
    """Whether models with this `api` can be called; a plugin's may, if it is loaded."""
    return api in USABLE_APIS or "/" in api


def api_spoken(api: str) -> str:
    """The wire format that is spoken for a usable `api`."""
    return API_STAND_INS.get(api, api)
