"""Foreign keys point down the stack: no table knows one of an app above its own."""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import apps
from django.db.models import Model

# Bottom first. Everything that is not ours stands below all of them.
STACK = ("agents", "tools", "agent_sessions", "channels_app", "scheduler")


def relations() -> Iterator[tuple[type[Model], str, type[Model]]]:
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if field.concrete and field.related_model and model._meta.app_label in STACK:
                yield model, field.name, field.related_model


def floor(model: type[Model]) -> int:
    label = model._meta.app_label
    return STACK.index(label) if label in STACK else -1


def test_it_works() -> None:
    assert any(model._meta.app_label == "channels_app" for model, _, _ in relations())


def test_no_foreign_key_points_up() -> None:
    upward = [
        f"{model.__name__}.{name} → {target.__name__}"
        for model, name, target in relations()
        if floor(target) > floor(model)
    ]
    assert upward == []
