"""Sessions over HTTP."""

from __future__ import annotations

import pytest

from sessions.models import Session
from tests.channels_app.rest.api import Api


def test_it_works(api: Api) -> None:
    """Open one, name it, find it, delete it."""
    made = api.post("sessions/", {"label": "Holidays"})
    key = made.body["key"]
    assert made.status == 201
    assert key.startswith("agent:main:web:")
    changed = api.patch(f"sessions/{key}/", {"label": "Summer", "queueMode": "steer"})
    assert (changed.body["label"], changed.body["queueMode"]) == ("Summer", "steer")
    assert api.patch(f"sessions/{key}/", {"queueMode": None}).body["queueMode"] == ""
    found = api.get("sessions/?search=summ").body["results"]
    assert [session["key"] for session in found] == [key]
    assert api.get(f"sessions/{key}/").body["label"] == "Summer"
    assert api.delete(f"sessions/{key}/").status == 204
    assert api.get(f"sessions/{key}/").status == 404


def test_everybody_sees_their_own(api: Api, member_api: Api) -> None:
    """An owner sees all; a key of somebody else answers as a missing one."""
    own = member_api.post("sessions/").body["key"]
    foreign = api.post("sessions/").body["key"]
    assert {row["key"] for row in api.get("sessions/").body["results"]} == {own, foreign}
    assert [row["key"] for row in member_api.get("sessions/").body["results"]] == [own]
    missing = member_api.get(f"sessions/{own}x/")
    for method in ("GET", "PATCH", "DELETE"):
        answer = member_api.call(method, f"sessions/{foreign}/", {})
        assert (answer.status, answer.error["code"]) == (404, missing.error["code"])
    assert Session.objects.filter(key=foreign).exists()


def test_pages_follow_one_another(api: Api) -> None:
    """`next` leads to the end and `previous` back to the beginning."""
    keys = {api.post("sessions/").body["key"] for _ in range(5)}
    path, seen, pages = "sessions/?limit=2", [], 0
    while path:
        page = api.get(path)
        seen += [session["key"] for session in page.body["results"]]
        pages += 1
        path = (page.body["next"] or "").partition("/api/")[2]
    assert (pages, len(seen), set(seen)) == (3, 5, keys)
    assert page.body["previous"].endswith("limit=2&offset=2")


def test_archived_ones_are_asked_for(api: Api) -> None:
    """They are left out otherwise."""
    key = api.post("sessions/").body["key"]
    assert api.patch(f"sessions/{key}/", {"archived": True}).body["archivedAt"]
    assert api.get("sessions/").body["results"] == []
    assert len(api.get("sessions/?includeArchived=true").body["results"]) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=x", "limit"),
        ("offset=-1", "offset"),
        ("serch=x", "search"),
    ],
)
def test_bad_query_is_named(api: Api, query: str, field: str) -> None:
    """A parameter that is not known is not passed over."""
    answer = api.get(f"sessions/?{query}")
    assert answer.status == 400
    assert field in answer.error["message"]


def test_bad_values_are_named(api: Api) -> None:
    """Each with its field; the main session stays."""
    key = api.post("sessions/", {"key": "main"}).body["key"]
    assert key == "agent:main:main"
    for field, value in [("label", "x" * 65), ("model", "no/such"), ("thinkingLevel", "x")]:
        answer = api.patch(f"sessions/{key}/", {field: value})
        assert answer.status == 400, field
    assert "blanks" in api.post("sessions/", {"key": "a b"}).error["message"]
    assert api.post("sessions/", {"agent": "nobody"}).status == 404
    answer = api.delete(f"sessions/{key}/")
    assert (answer.status, answer.error["code"]) == (409, "conflict")


def test_list_costs_the_same_for_many(
    api: Api, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    """Owners and transcripts come with the rows."""
    for _ in range(6):
        api.post("sessions/")
    with django_assert_max_num_queries(4):  # type: ignore[operator]
        assert len(api.get("sessions/").body["results"]) == 6
