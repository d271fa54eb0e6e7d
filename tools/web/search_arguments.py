"""Reads the arguments of web_search and says which of them a service cannot follow. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from agents.core.errors import ToolError
from tools.arguments import number_argument, text_argument
from tools.web.backends.backend import SearchBackend, SearchQuery

MAX_COUNT = 10
_FRESHNESS = ("day", "week", "month", "year")
# Words of services' own that models also use.
_FRESHNESS_ALIASES = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
# Longer than any question, shorter than what services refuse.
_LONGEST = 2_000

_DESCRIPTIONS = {
    "country": "Two-letter code of a country for the results (US, DE), or ALL.",
    "language": "Language of the results, as in en or de.",
    "date_after": "Only results published after this day, YYYY-MM-DD.",
    "date_before": "Only results published before this day, YYYY-MM-DD.",
    "search_lang": "Language of the results, for services that know it under this name.",
    "ui_lang": "Language and country of the reader, as in en-US.",
}
PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to search for."},
        "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_COUNT,
            "description": "Number of results, 5 unless configured otherwise.",
        },
        "freshness": {
            "type": "string",
            "enum": list(_FRESHNESS),
            "description": "Only results of the last day, week, month or year.",
        },
        **{name: {"type": "string", "description": _DESCRIPTIONS[name]} for name in _DESCRIPTIONS},
        "domain_filter": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these hosts; with a - before it a host is left out.",
        },
        "max_tokens": {"type": "integer", "minimum": 1},
        "max_tokens_per_page": {"type": "integer", "minimum": 1},
    },
    "required": ["query"],
    "additionalProperties": False,
}


def names_evened(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments in snake case, as the schema has them."""
    return {
        re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).lower(): value for key, value in arguments.items()
    }


def query_read(arguments: Mapping[str, Any], *, count: int) -> SearchQuery:
    """What to search for; `count` when the call does not say how many. Raises ToolError."""
    text = " ".join(text_argument(arguments, "query").split())
    if not 1 <= len(text) <= _LONGEST:
        raise ToolError(f"query: must be 1 to {_LONGEST:,} characters, got {len(text):,}.")
    after, before = _day(arguments, "date_after"), _day(arguments, "date_before")
    if after and before and after > before:
        raise ToolError("date_after: must not be later than date_before.")
    freshness: Any = _freshness(arguments)
    if freshness and (after or before):
        raise ToolError("freshness: give either it or date_after and date_before.")
    language = _text(arguments, "language") or _text(arguments, "search_lang")
    return SearchQuery(
        text=text,
        count=min(MAX_COUNT, number_argument(arguments, "count", count, low=1)),
        country=_country(arguments),
        language=language,
        ui_language=_text(arguments, "ui_lang"),
        freshness=freshness,
        date_after=after,
        date_before=before,
        domains=_domains(arguments),
    )


def unsupported(arguments: Mapping[str, Any], backend: SearchBackend) -> str:
    """The first parameter that was given and that `backend` cannot follow, "" for none."""
    for name, value in arguments.items():
        if name not in ("query", "count") and name not in backend.options and value:
            return name
    return ""


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 100:
        raise ToolError(f"{name}: expected a short text.")
    return value.strip()


def _country(arguments: Mapping[str, Any]) -> str:
    value = _text(arguments, "country").upper()
    if value and value != "ALL" and not re.fullmatch(r"[A-Z]{2}", value):
        raise ToolError(f"country: must be a two-letter code or ALL, got {value!r}.")
    return value


def _freshness(arguments: Mapping[str, Any]) -> str:
    value = _text(arguments, "freshness").lower()
    value = _FRESHNESS_ALIASES.get(value, value)
    if value and value not in _FRESHNESS:
        raise ToolError(f"freshness: must be one of {', '.join(_FRESHNESS)}, got {value!r}.")
    return value


def _day(arguments: Mapping[str, Any], name: str) -> str:
    value = _text(arguments, name)
    if not value:
        return ""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise ToolError(f"{name}: must be a day as YYYY-MM-DD, got {value!r}.") from error


def _domains(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    value = arguments.get("domain_filter") or ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ToolError("domain_filter: expected a list of hosts.")
    hosts = [item.strip().lower() for item in value if isinstance(item, str)]
    if len(hosts) != len(value) or not all(
        re.fullmatch(r"-?[\w.-]{1,253}", host) for host in hosts
    ):
        raise ToolError("domain_filter: expected a list of hosts such as example.org.")
    return tuple(hosts)
