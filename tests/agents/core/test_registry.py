"""Names are registered once and imported when first used."""

from __future__ import annotations

import json

import pytest

from agents.core.registry import Registry


def test_it_works() -> None:
    registry: Registry[object] = Registry("thing")
    registry.register("b", "json:dumps")
    registry.register("a", 5)

    assert registry.names() == ["b", "a"]
    assert registry.get("b") is json.dumps
    assert list(registry) == [("b", json.dumps), ("a", 5)]
    assert "a" in registry
    assert "c" not in registry


def test_registering_the_same_twice_does_nothing_and_another_is_refused() -> None:
    registry: Registry[object] = Registry("thing")
    registry.register("a", "json:dumps")
    registry.register("a", "json:dumps")

    with pytest.raises(ValueError, match="thing 'a' is already registered"):
        registry.register("a", "json:loads")


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Registry[object]("thing").get("a")
