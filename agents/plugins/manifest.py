"""The manifest of a plugin that lies in a folder: read, never run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from jsonschema import SchemaError, ValidationError
from jsonschema.validators import validator_for
from pydantic import Field
from pydantic import ValidationError as ModelError

from agents.config.schema import Strict, schema_errors
from agents.config.sections.plugin_id import PluginId

# The first of these that is there is read; the second is the reference's name.
FILES = ("plugin.toml", "openclaw.plugin.json")
MAX_BYTES = 256 * 1024


class _Document(Strict):
    id: PluginId
    name: str = Field(default="", max_length=120)
    version: str = Field(default="", max_length=60)
    description: str = Field(default="", max_length=2000)
    # The file or package inside of the folder that is imported.
    module: str = Field(default="", pattern=r"^([A-Za-z_]\w*)?$")
    config_schema: dict[str, Any] = {}


class ManifestError(ValueError):
    """What is wrong with a manifest; the text names the file's key."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a plugin says of itself. `config_schema` is empty where its settings are free."""

    id: str
    name: str = ""
    version: str = ""
    description: str = ""
    module: str = ""
    config_schema: Mapping[str, Any] = field(default_factory=dict)


def manifest_file(folder: Path) -> Path | None:
    """The manifest in `folder`, None when there is none."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def manifest_read(file: Path) -> Manifest:
    """The manifest in `file`. Raises ManifestError."""
    try:
        raw = file.read_bytes()[: MAX_BYTES + 1]
    except OSError as error:
        raise ManifestError(f"{file.name} cannot be read: {error.strerror}") from error
    if len(raw) > MAX_BYTES:
        raise ManifestError(f"{file.name} is larger than {MAX_BYTES // 1024} KB")
    try:
        data = tomllib.loads(raw.decode()) if file.suffix == ".toml" else orjson.loads(raw)
        found = _Document.model_validate(data)
    except ModelError as error:
        path, message = next(schema_errors(_Document, error))
        raise ManifestError(f"{file.name}: {'.'.join(map(str, path))} {message}") from None
    except ValueError as error:
        raise ManifestError(f"{file.name} cannot be read: {error}") from None
    try:
        validator_for(found.config_schema).check_schema(found.config_schema)
    except SchemaError as error:
        raise ManifestError(f"{file.name}: configSchema is invalid: {error.message}") from None
    return Manifest(**{**found.model_dump(), "module": found.module or _module(found.id)})


def config_problems(
    schema: Mapping[str, Any], config: Mapping[str, Any]
) -> list[tuple[tuple[str | int, ...], str]]:
    """What is wrong with a plugin's settings by its own schema: places below them, and why."""
    if not schema:
        return []
    plain = dict(schema)
    errors: list[ValidationError] = list(validator_for(plain)(plain).iter_errors(dict(config)))
    return [(tuple(error.absolute_path), error.message[:300]) for error in errors[:10]]


def _module(plugin_id: str) -> str:
    return "".join(sign if sign.isalnum() else "_" for sign in plugin_id)
