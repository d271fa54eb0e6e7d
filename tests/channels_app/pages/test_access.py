"""Who may open which page."""

from __future__ import annotations

import pytest
from django.test import Client

from sessions.models import InboxItem
from tests.channels_app.pages.conftest import Visitor, run_of, session_of
from tests.platform.redis_server import RedisServer

PAGES = ["/", "/chat/", "/runs/", "/profile/", "/palette/", "/chat/sessions/", "/panel/live/"]
OTHERS = "agent:main:web:01jd0000000000000000000000"


def test_it_works(owner: Visitor) -> None:
    for page in PAGES:
        assert owner.client.get(page, follow=True).status_code == 200, page


@pytest.mark.parametrize("page", [*PAGES, "/styleguide/", "/runs/x/", f"/chat/{OTHERS}/"])
def test_strangers_are_sent_to_sign_in(page: str, db: None) -> None:
    answer = Client().get(page)

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/signin/?next=")


@pytest.mark.parametrize("page", PAGES)
def test_members_see_the_same_pages(page: str, member: Visitor) -> None:
    assert member.client.get(page, follow=True).status_code == 200


def test_a_session_of_somebody_else_does_not_exist(owner: Visitor, member: Visitor) -> None:
    session_of(owner.person, OTHERS)

    assert member.client.get(f"/chat/{OTHERS}/").status_code == 404
    assert member.client.get("/chat/agent:main:main/").status_code == 404
    assert owner.client.get(f"/chat/{OTHERS}/").status_code == 200


def test_an_owner_sees_the_sessions_of_all(owner: Visitor, member: Visitor) -> None:
    session = session_of(member.person, OTHERS)
    session.label = "Ben's plan"
    session.save()

    assert "Ben&#x27;s plan" in owner.client.get("/chat/sessions/").content.decode()


def test_runs_of_somebody_else_do_not_exist(owner: Visitor, member: Visitor) -> None:
    run = run_of(session_of(owner.person, OTHERS))

    for page in (f"/runs/{run.id}/", f"/runs/{run.wire_id}/", f"/runs/{run.id}/calls/1/"):
        assert member.client.get(page).status_code == 404
    assert run.id not in member.client.get("/runs/").content.decode()


def test_the_styleguide_is_for_owners(owner: Visitor, member: Visitor) -> None:
    assert owner.client.get("/styleguide/").status_code == 200
    assert member.client.get("/styleguide/").status_code == 404


@pytest.mark.parametrize("path", ["/panel/agents/", "/panel/switch/"])
def test_only_owners_change_the_gateway(path: str, member: Visitor) -> None:
    assert member.client.post(path, {"to": "stop", "name": "x"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/chat/new/", "/chat/rename/", "/chat/delete/", "/chat/settings/", "/chat/send/"]
)
def test_viewers_change_nothing(path: str, viewer: Visitor) -> None:
    answer = viewer.client.post(path, {"key": OTHERS, "text": "hi", "run_id": "r"})

    assert answer.status_code == 403
    assert not InboxItem.objects.exists()


def test_forms_of_other_sites_are_refused(owner: Visitor) -> None:
    strict = Client(enforce_csrf_checks=True)
    user = owner.person.user
    assert user is not None
    strict.force_login(user)

    assert strict.post("/chat/new/").status_code == 403
    assert strict.post("/panel/switch/", {"to": "stop"}).status_code == 403


def test_pages_are_not_kept_by_caches_and_allow_no_inline_code(
    owner: Visitor, clean_redis: RedisServer
) -> None:
    for page in ("/", "/chat/agent:main:main/", "/runs/", "/profile/", "/styleguide/"):
        answer = owner.client.get(page)
        html = answer.content.decode()

        assert "private" in answer.headers["Cache-Control"]
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert " style=" not in html
        assert "<style" not in html
        assert " onclick=" not in html
        assert html.count("<script") == html.count("<script type=") + html.count("<script id=")
