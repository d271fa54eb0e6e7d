"""A provider's form refuses what the configuration document would refuse."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.catalog.resolve import resolve_model
from agents.models import Provider

FORM = {
    "name": "lab",
    "api": "openai-completions",
    "base_url": "http://lab.local/v1",
    "enabled": "on",
    "catalog": '[{"id": "small", "contextWindow": 32000}]',
    "headers": "{}",
    "settings": "{}",
}


def test_it_works(page: Client) -> None:
    """Its models can be used at once."""
    page.post("/admin/agents/provider/add/", FORM)
    model = resolve_model(ref="lab/small")
    assert (model.base_url, model.context_window) == ("http://lab.local/v1", 32000)
    assert b"ready" in page.get("/admin/agents/provider/").content


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "My Lab"),
        ("base_url", "ftp://lab.local"),
        ("base_url", "http://olga:pw@lab.local/v1"),
        ("catalog", "{}"),
        ("catalog", '[{"name": "no id"}]'),
        ("catalog", '[{"id": "x", "contextWindw": 1}]'),
        ("headers", '{"X-Team": 1}'),
        ("settings", '{"colour": "red"}'),
        ("settings", "[]"),
    ],
)
def test_mistake_is_told_beside_its_field(page: Client, field: str, value: str) -> None:
    """And nothing is stored."""
    answer = page.post("/admin/agents/provider/add/", {**FORM, field: value})
    assert answer.status_code == 200
    assert list(answer.context["adminform"].form.errors) == [field]
    assert not Provider.objects.exists()
