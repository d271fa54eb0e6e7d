"""What web_search knows of the services that it can ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from agents.core.errors import ToolError

if TYPE_CHECKING:
    import httpx

Freshness = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One search. Dates as YYYY-MM-DD; empty values were not given.

    `domains` are hosts to look at; those with a "-" before them are to be left out.
    """

    text: str
    count: int = 5
    country: str = ""
    language: str = ""
    ui_language: str = ""
    freshness: Freshness | Literal[""] = ""
    date_after: str = ""
    date_before: str = ""
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result, as the service wrote it: nothing of it may be trusted."""

    title: str
    url: str
    description: str = ""
    published: str = ""
    site_name: str = ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service is and the key for it."""

    base_url: str
    api_key: str = ""


class SearchBackend(Protocol):
    """A service. `options` are the parameters of the tool that it understands besides query and
    count; a call with another one is refused by the tool.

    `key_variable` and `address_variable` are what the environment may set, "" for none;
    `address` is where the service is unless something else is configured, "" when everybody has
    an own one.
    """

    name: str
    options: frozenset[str]
    key_variable: str
    address_variable: str
    address: str
    docs: str

    async def search(
        self, query: SearchQuery, endpoint: Endpoint, client: httpx.AsyncClient
    ) -> Sequence[SearchHit]:
        """At most `query.count` results, best first.

        Raises ToolError when the service refuses or answers nonsense, httpx.HTTPError when it
        cannot be reached.
        """
        ...


def answer_json(response: httpx.Response, backend: str) -> dict[str, Any]:
    """The JSON object of an answer. Raises ToolError that says what the service complained of."""
    if response.status_code in (401, 403):
        raise ToolError(
            f"{backend} refused the request ({response.status_code}): check the key or whether "
            f"the service allows this. It said: {_said(response)}"
        )
    if response.status_code == 429:
        raise ToolError(f"{backend} allows no more requests now (429). Try again later.")
    if not response.is_success:
        raise ToolError(f"{backend} answered {response.status_code}: {_said(response)}")
    try:
        value = response.json()
    except ValueError as error:
        raise ToolError(f"{backend} did not answer with JSON.") from error
    if not isinstance(value, dict):
        raise ToolError(f"{backend} answered with JSON that is no object.")
    return value


def text_of(value: object) -> str:
    """`value` when it is text, else ""."""
    return value if isinstance(value, str) else ""


def objects_of(value: object) -> list[dict[str, Any]]:
    """The objects in the list `value`; [] when it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _said(response: httpx.Response) -> str:
    return " ".join(response.text[:400].split()) or "nothing"
