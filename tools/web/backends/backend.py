"""What web_search knows of the services that it can ask. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The one HTTP request of a search; `body` is sent as JSON by POST, without it it is a GET.

    Parameters and values of the body that are empty are left out.
    """

    url: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


class SearchBackend(Protocol):
    """A service. `options` are the parameters of the tool that it understands besides query and
    count; a call with another one is refused by the tool.

    `key_variable` and `address_variable` are what the environment may set, "" for none. `address`
    is where the service is unless something else is configured, "" when everybody has an own one.
    `refused` says what to look at when the service refuses (401, 403).
    """

    name: str
    options: frozenset[str]
    key_variable: str
    address_variable: str
    address: str
    docs: str
    refused: str

    def request(self, query: SearchQuery, endpoint: Endpoint) -> SearchRequest:
        """What to ask. Never raises."""
        ...

    def hits(self, answer: Mapping[str, Any]) -> Sequence[SearchHit]:
        """The results in the service's JSON, best first. Never raises: nonsense is no result."""
        ...


def text_of(value: object) -> str:
    """`value` when it is text, else ""."""
    return value if isinstance(value, str) else ""


def objects_of(value: object) -> list[dict[str, Any]]:
    """The objects in the list `value`; [] when it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def object_of(value: object) -> dict[str, Any]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
