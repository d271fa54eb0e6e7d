"""Serializers whose JSON names are camelCase, and which refuse what they do not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.fields import Field
from rest_framework.serializers import Serializer

from agents.config.paths import nearest


def camel(name: str) -> str:
    """`started_at` as `startedAt`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Camel(Serializer[Any]):
    """Attributes are Python names, JSON has the same names in camelCase."""

    def get_fields(self) -> dict[str, Field[Any, Any, Any, Any]]:
        """The fields under their JSON names."""
        result = {}
        for name, field in super().get_fields().items():
            source, shown = field.source or name, camel(name)
            field.source = source if source != shown else None
            result[shown] = field
        return result


class Output(Camel):
    """What the API answers. Only ever written, so nothing in it is optional to the reader."""


class Input(Camel):
    """What a caller sends. Unknown fields are refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        """Validated values under their Python names. Raises ValidationError."""
        if isinstance(data, Mapping):
            unknown = {str(name): [self._unknown(str(name))] for name in set(data) - {*self.fields}}
            if unknown:
                raise ValidationError(dict(sorted(unknown.items())))
        return super().to_internal_value(data)

    def _unknown(self, name: str) -> str:
        if match := nearest(name, list(self.fields)):
            return _("Unknown field; did you mean %(match)s?") % {"match": match}
        return _("Unknown field; known are: %(names)s.") % {"names": ", ".join(self.fields)}
