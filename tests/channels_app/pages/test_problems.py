"""Pages that say what went wrong."""

from __future__ import annotations

from django.template.loader import render_to_string
from django.test import Client

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
