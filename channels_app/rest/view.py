"""What all views of the API share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.views import APIView

from agents.core.principal import Principal
from channels_app.rest.authentication import BearerAuthentication, SignedInAuthentication
from channels_app.rest.caller import Caller
from channels_app.rest.fields import Input, Output
from channels_app.rest.permissions import HasScope


class ApiView(APIView):
    """A resource. Each method parses, calls one service or selector, and presents."""

    authentication_classes = (BearerAuthentication, SignedInAuthentication)
    permission_classes = (HasScope,)
    # The scope that a method needs when it is not the usual one.
    scopes: ClassVar[Mapping[str, str]] = {}

    @property
    def caller(self) -> Caller:
        """Who asks. Only after the permission check."""
        user: Any = self.request.user
        found: Caller = user
        return found

    @property
    def principal(self) -> Principal:
        """The rights of this request."""
        return self.caller.principal

    def body(self, kind: type[Input], *, partial: bool = False) -> dict[str, Any]:
        """The request's JSON, validated. Raises ValidationError."""
        return _validated(kind(data=self.request.data, partial=partial))

    def query(self, kind: type[Input]) -> dict[str, Any]:
        """The query parameters, validated. Raises ValidationError."""
        return _validated(kind(data=self.request.query_params.dict()))


def _validated(form: Input) -> dict[str, Any]:
    form.is_valid(raise_exception=True)
    values: dict[str, Any] = form.validated_data
    return values


@extend_schema_serializer(component_name="ErrorDetail")
class ErrorDetail(Output):
    """`code` is for programs, `message` for people, `id` is in the log as well."""

    code = serializers.CharField()
    message = serializers.CharField()
    details = serializers.DictField()
    id = serializers.CharField()


@extend_schema_serializer(component_name="Error")
class Error(Output):
    """The shape of every error."""

    error = ErrorDetail()


def answers(success: Any, *, status: int = 200) -> dict[Any, Any]:
    """The answers of an operation for the schema: its success, and errors."""
    return {status: success, "4XX": Error}
