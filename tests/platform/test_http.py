"""What every HTTP answer has: probes, headers, errors of one shape, nothing for strangers."""

from __future__ import annotations

import gzip

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import path

from agents.core.errors import LimitReached, NotFound, PolicyDenied, ProviderError
from tests.platform.redis_server import RedisServer

pytestmark = pytest.mark.django_db


def _raise(request: HttpRequest, kind: str) -> HttpResponse:
    if kind == "secret":
        raise RuntimeError("the key is sk-very-secret")
    raise {
        "missing": NotFound("No agent has the id 'x'; the agents page lists them."),
        "limit": LimitReached("Too many.", details={"limit": 3}),
        "denied": PolicyDenied("exec is not allowed here"),
        "slow": ProviderError("slow down", reason="rate_limit", retry_after=7.2),
    }[kind]


def _open(view: object) -> object:
    from django.contrib.auth.decorators import login_not_required

    return login_not_required(view)  # type: ignore[type-var]


urlpatterns = [path("api/raise/<kind>", _open(_raise)), path("page/<kind>", _open(_raise))]  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["/healthz", "/health"])
def test_it_works(client: Client, name: str) -> None:
    """Alive, for anybody, never cached, GET and HEAD only."""
    answer = client.get(name)
    assert answer.json() == {"ok": True, "status": "live"}
    assert answer["Cache-Control"] == "no-store"
    assert client.head(name).status_code == 200
    assert client.post(name).status_code == 405


@pytest.mark.parametrize("name", ["/readyz", "/ready"])
def test_ready_names_failing_parts_to_neighbours_only(
    client: Client, redis_server: RedisServer, name: str
) -> None:
    """503 with the part's name on this machine, without it for others."""
    assert client.get(name).json()["ready"] is True
    redis_server.stop()
    try:
        near = client.get(name)
        far = client.get(name, REMOTE_ADDR="203.0.113.9")
        forwarded = client.get(name, HTTP_X_FORWARDED_FOR="127.0.0.1")
    finally:
        redis_server.start()
    assert near.status_code == far.status_code == 503
    assert near.json()["failing"] == ["redis"]
    assert near.json()["uptimeMs"] >= 0
    assert far.json() == forwarded.json() == {"ready": False}


def test_pages_have_a_strict_policy_and_the_admin_its_own(client: Client) -> None:
    """No inline script outside the admin; no frames anywhere."""
    page = client.get("/healthz")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "'unsafe-eval'" in client.get("/admin/login/")["Content-Security-Policy"]
    for name, value in {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
    }.items():
        assert page[name] == value
    assert "frame-ancestors 'none'" in client.get("/admin/login/")["Content-Security-Policy"]


def test_strangers_are_sent_to_sign_in(client: Client) -> None:
    """Every view asks for a session unless it says otherwise."""
    answer = client.get("/admin/auth/group/")
    assert answer.status_code == 302
    assert "login" in answer["Location"] or "signin" in answer["Location"]


def test_unknown_host_is_refused(client: Client) -> None:
    """DNS rebinding meets 400."""
    assert client.get("/admin/login/", HTTP_HOST="evil.example").status_code == 400


async def test_static_files_are_compressed_and_revalidated(async_client: AsyncClient) -> None:
    """In the asynchronous stack as in the other, without a collecting step."""
    plain = await async_client.get("/static/admin/css/base.css")
    assert plain.status_code == 200
    packed = await async_client.get(
        "/static/admin/css/base.css", headers={"accept-encoding": "gzip"}
    )
    assert gzip.decompress(packed.content) == plain.content
    assert packed["Vary"] == "Accept-Encoding"
    assert packed["X-Content-Type-Options"] == "nosniff"
    again = await async_client.get(
        "/static/admin/css/base.css", headers={"if-modified-since": plain["Last-Modified"]}
    )
    assert again.status_code == 304
    assert (await async_client.get("/static/../manage.py")).status_code in (302, 404)


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("missing", 404, "not_found"),
        ("limit", 429, "limit_reached"),
        ("denied", 403, "forbidden"),
        ("slow", 502, "provider_error"),
        ("secret", 500, "internal_error"),
    ],
)
def test_errors_have_one_shape(client: Client, kind: str, status: int, code: str) -> None:
    """Code, text for people, details, and an id; foreign texts are kept."""
    client.raise_request_exception = False
    answer = client.get(f"/api/raise/{kind}")
    error = answer.json()["error"]
    assert answer.status_code == status
    assert error["code"] == code
    assert set(error) == {"code", "message", "details", "id"}
    assert "sk-very-secret" not in answer.text
    assert error["details"] == ({"limit": 3} if kind == "limit" else {})
    assert answer.get("Retry-After") == ("7" if kind == "slow" else None)


@override_settings(ROOT_URLCONF=__name__)
async def test_people_get_a_page(async_client: AsyncClient) -> None:
    """A browser is told in words."""
    answer = await async_client.get("/page/missing", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "agents page lists them" in answer.content.decode()
