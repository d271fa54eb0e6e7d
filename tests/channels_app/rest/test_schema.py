"""The schema tells the truth."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.urls import reverse

from channels_app.rest.urls import urlpatterns
from tests.channels_app.rest.api import Api


def test_it_works(tmp_path: Path) -> None:
    """It is valid, and nothing had to be guessed."""
    target = tmp_path / "schema.yml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(target))
    schema = yaml.safe_load(target.read_text())
    assert set(schema["components"]["securitySchemes"]) == {"token", "cookie"}
    hidden = ("api_root", "api_unknown", "api_schema")
    assert len(schema["paths"]) == sum(str(p.name) not in hidden for p in urlpatterns)


def test_schema_is_served(api: Api) -> None:
    """In JSON for those who ask for it."""
    answer = api.get("schema/?format=json")
    assert answer.status == 200
    assert answer.body["paths"]["/api/runs/{run_id}/stop/"]["post"]["responses"]["4XX"]
    assert reverse("api_schema") == "/api/schema/"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["", "nothing/", "agents", "runs/a/b/c/"])
def test_unknown_address(api: Api, method: str, path: str) -> None:
    """A program gets JSON, never a page."""
    answer = api.call(method, path)
    assert (answer.status, answer.error["code"]) == (404, "not_found")
    assert f"/api/{path}" in answer.error["message"]


def test_wrong_method(api: Api) -> None:
    """The methods that there are stand in the header."""
    answer = api.delete("agents/")
    assert (answer.status, answer.error["code"]) == (405, "method_not_allowed")
    assert "POST" in answer.headers["Allow"]
