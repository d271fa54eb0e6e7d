"""Whatever can be called, set or run is named in the documents.

A new method, command, variable, tool, key, target or address makes one of these fail until its
page says what it is for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, get_args

from django.core.management import get_commands
from django.urls import get_resolver
from pydantic import BaseModel

from agents.config.registry import SECTIONS
from agents.config.schema import WITHOUT_EFFECT
from channels_app.gateway.registry import METHODS
from sessions.commands import COMMANDS
from tests.docs.pages import ROOT, code_words, page
from tools.registry import TOOLS

_OWN = ("openclaw_site", "scheduler", "channels_app", "sessions", "tools", "agents")
_VARIABLE = re.compile(
    r"(?:(?:OPENCLAW|ANTHROPIC|OPENAI|OLLAMA)_[A-Z_]*[A-Z]|DATABASE_URL|REDIS_URL)"
)
_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)


def test_it_works() -> None:
    assert code_words("the `a.b` and\n```\nmake up\n```\nnot this") == {
        *("a.b", "a", "b", "make", "up"),
    }


def test_gateway_methods() -> None:
    assert set(METHODS.names()) - code_words(page("docs/websocket.md")) == set()


def test_management_commands() -> None:
    own = {name for name, app in get_commands().items() if app.split(".")[0] in _OWN}
    assert len(own) >= 8
    assert own - code_words(page("docs/running.md")) == set()


def test_tools() -> None:
    assert set(TOOLS.names()) - code_words(page("docs/tools.md")) == set()


def test_chat_commands() -> None:
    text = page("docs/commands.md")
    for kind in COMMANDS:
        for word in (kind.name, *kind.aliases):
            assert f"`/{word}`" in text
        assert set(kind.choices) - code_words(text) == set()


def test_environment_variables() -> None:
    known = code_words(page("docs/running.md") + page("docs/tools.md"))
    assert set(variables_read()) - known == set()
    offered = set(re.findall(r"^(\w+)=", page(".env.example"), re.MULTILINE))
    assert offered - known == set()


def variables_read() -> Iterator[str]:
    """Names of variables that stand in our code as texts of their own."""
    for package in _OWN:
        for path in (ROOT / package).rglob("*.py"):
            yield from filter(_VARIABLE.fullmatch, texts_in(path.read_text(encoding="utf-8")))


def texts_in(code: str) -> Iterator[str]:
    """Every text constant of a module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_configuration_keys() -> None:
    known = code_words(page("docs/configuration.md"))
    for name, section in SECTIONS:
        missing = {key for key in keys_with_effect(section.model) if key not in known}
        assert (name, missing) == (name, set())
        assert name in known


def keys_with_effect(model: type[BaseModel]) -> Iterator[str]:
    """The keys of a section's model and of everything in it that something reads."""
    for name, field in model.model_fields.items():
        if WITHOUT_EFFECT in field.metadata:
            continue
        yield field.alias or name
        for inner in models_in(field.annotation):
            yield from keys_with_effect(inner)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a field's type holds, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def test_make_targets() -> None:
    known = page("README.md") + page("CONTRIBUTING.md") + page("docs/running.md")
    for target in set(_TARGET.findall(page("Makefile"))) - {"help"}:
        assert f"make {target}" in known


def test_addresses() -> None:
    known = page("docs/http.md") + page("docs/running.md")
    for address in addresses():
        assert address in known


def addresses() -> set[str]:
    """The first step of each address, two steps where programs call."""
    found = set()
    for route in routes(get_resolver().url_patterns):
        steps = route.split("/")
        depth = 2 if steps[0] in ("api", "v1") and steps[1][:1].isalpha() else 1
        if steps[0]:
            found.add("/" + "/".join(steps[:depth]))
    return found


def routes(patterns: Any, prefix: str = "") -> Iterator[str]:
    """Every address pattern of the project, without a leading slash."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route
