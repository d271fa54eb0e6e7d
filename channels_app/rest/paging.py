"""Lists come in pages: `limit` and `offset` go in, `next` and `previous` come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from channels_app.rest.fields import Input, Output

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_OFFSET = 1_000_000


class PageQuery(Input):
    """The part of a list's query that chooses the page."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT)
    offset = serializers.IntegerField(min_value=0, max_value=MAX_OFFSET, default=0)


def page_response(
    request: Request,
    query: dict[str, Any],
    fetch: Callable[..., Sequence[Any]],
    item: type[Output],
    **context: Any,
) -> Response:
    """One page. `fetch(limit=, offset=)` is asked for one more than is shown."""
    limit, offset = query["limit"], query["offset"]
    found = fetch(limit=limit + 1, offset=offset)
    address = request.build_absolute_uri()
    following = replace_query_param(address, "offset", offset + limit)
    before = replace_query_param(address, "offset", max(0, offset - limit))
    return Response({
        "results": item(found[:limit], many=True, context=context).data,
        "next": following if len(found) > limit else None,
        "previous": before if offset else None,
    })  # fmt: skip


def page_of(item: type[Output]) -> type[Output]:
    """The serializer of a page of `item`, for the schema."""
    fields = {
        "__doc__": f"A page of {item.__name__}.",
        "results": item(many=True),
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
    }
    name = f"{item.__name__}Page"
    made: type[Output] = type(name, (Output,), fields)
    return extend_schema_serializer(component_name=name)(made)
