"""Pages that say what went wrong."""

from __future__ import annotations

import pytest
from django.db import DataError
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from openclaw_site.middleware.errors import ErrorMiddleware
from tests.channels_app.pages.conftest import Visitor


def test_it_works(owner: Visitor) -> None:
    answer = owner.client.get("/no/such/page/")

    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()
    assert "css/parts.css" in answer.content.decode()


def test_a_refusal_of_the_product_is_a_page_with_its_reason(member: Visitor) -> None:
    answer = member.client.post("/panel/switch/", {"to": "stop"})

    assert answer.status_code == 403
    assert "Only an owner may do this." in answer.content.decode()
    assert "css/parts.css" in answer.content.decode()


def test_programs_get_the_reason_as_json(member: Visitor) -> None:
    headers = {"accept": "application/json"}
    answer = member.client.post("/panel/switch/", {"to": "stop"}, headers=headers)

    assert answer.json()["error"]["code"] == "forbidden"


def test_an_old_form_is_explained(owner: Visitor) -> None:
    strict = Client(enforce_csrf_checks=True)

    answer = strict.post("/signin/", {"username": "ada", "password": "x"})

    assert answer.status_code == 403
    assert "load the page again" in answer.content.decode()


def test_the_page_of_a_failure_needs_nothing_that_may_have_failed() -> None:
    # Django renders it without a request, and the database may be what failed.
    assert "Something failed" in render_to_string("500.html")


def test_a_request_for_another_host_is_explained(owner: Visitor) -> None:
    answer = owner.client.get("/chat/", headers={"host": "evil.example"})

    assert answer.status_code == 400
    assert "The request could not be read" in answer.content.decode()
    assert "evil.example" not in answer.content.decode()


@pytest.mark.django_db
def test_a_value_that_no_column_takes_is_the_callers_mistake(rf: RequestFactory) -> None:
    # PostgreSQL raises it for NUL characters; SQLite takes everything.
    refused = DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")

    for accept in ("text/html", "application/json"):
        request = rf.get("/runs/", headers={"accept": accept})
        answer = ErrorMiddleware(lambda _: HttpResponse()).process_exception(request, refused)
        assert answer is not None
        assert answer.status_code == 400
        assert "NUL character" in answer.content.decode()


@pytest.mark.parametrize("address", ["/runs/?agent=%00", "/chat/sessions/?q=%00", "/runs/%00/"])
def test_nul_characters_in_addresses_are_no_failure(owner: Visitor, address: str) -> None:
    owner.client.raise_request_exception = False

    assert owner.client.get(address).status_code in (200, 400, 404)


@pytest.mark.parametrize("key", ["a\r\nSet-Cookie: x", "x" * 600, "agent::", "a\x00b"])
def test_an_odd_way_back_leads_to_the_chat(owner: Visitor, key: str) -> None:
    posts = [
        ("/chat/rename/", {"key": "agent:main:main", "label": "a", "back": key}),
        ("/chat/delete/", {"key": "agent:main:gone", "back": key}),
        ("/chat/send/", {"key": key, "text": "hi", "run_id": "r1"}),
    ]
    for address, fields in posts:
        answer = owner.client.post(address, fields)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/chat/"), address


def test_a_name_with_control_characters_is_refused(owner: Visitor) -> None:
    fields = {"key": "agent:main:main", "label": "a\x00b"}

    answer = owner.client.post("/chat/rename/", fields)

    assert answer.status_code == 400
    assert "control characters" in answer.content.decode()
