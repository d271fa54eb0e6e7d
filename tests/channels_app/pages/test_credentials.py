"""The page that says which credential is used."""

from __future__ import annotations

import pytest

from agents.config.cache import cache_clear
from agents.credentials.services import credential_failed
from agents.models import AuthProfile, ProfileState, Provider
from tests.channels_app.pages.conftest import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "/credentials/?agent=main&model=lab/small"


@pytest.fixture(autouse=True)
def lab(db: None) -> None:
    cache_clear()
    Provider.objects.create(name="lab", api="openai-completions", base_url="https://lab.example/v1")
    for position, name in enumerate(("lab:one", "lab:two")):
        AuthProfile.objects.create(
            name=name, provider="lab", secret="sk-never-shown", position=position
        )


def html(visitor: Visitor, address: str = ADDRESS) -> str:
    return visitor.client.get(address).content.decode()


def test_it_works(owner: Visitor) -> None:
    shown = html(owner)
    for text in (
        "main would call lab/small with lab:one, because",
        "It is asked when those before it fail.",
        "models.providers.lab.apiKey is not set.",
        "Stored credentials",
        "Switch off",
    ):
        assert text in shown
    assert "sk-never-shown" not in shown


def test_defaults_are_explained(owner: Visitor) -> None:
    shown = html(owner, "/credentials/")
    assert "main would call rehearsal/rehearsal with none:rehearsal" in shown


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("agent=nobody", 404, "There is no agent nobody."),
        ("model=nowhere/x", 400, "no provider nowhere"),
        ("model=%3Cb%3E/x", 400, "&lt;b&gt;"),
    ],
)
def test_unknown_names(owner: Visitor, query: str, status: int, words: str) -> None:
    answer = owner.client.get(f"/credentials/?{query}")
    assert (answer.status_code, words in answer.content.decode()) == (status, True)


def test_rest_is_shown_and_ended(owner: Visitor) -> None:
    credential_failed(
        credential="lab:one", model="small", reason="rate_limit", message="slow <down>"
    )
    shown = html(owner)
    assert "with lab:two, because" in shown
    assert "It takes a rest: too many requests." in shown
    assert "slow &lt;down&gt;" in shown
    answer = owner.client.post(
        "/credentials/retry/", {"name": "lab:one", "agent": "main", "model": "lab/small"}
    )
    assert answer.url == "/credentials/?agent=main&model=lab%2Fsmall"  # type: ignore[attr-defined]
    assert "with lab:one, because" in html(owner)
    assert not ProfileState.objects.exclude(until=None).exists()


def test_switch(owner: Visitor) -> None:
    owner.client.post("/credentials/switch/", {"name": "lab:one", "to": "off"})
    shown = html(owner)
    assert "with lab:two, because" in shown
    assert "It is switched off." in shown
    owner.client.post("/credentials/switch/", {"name": "lab:one", "to": "on"})
    assert "with lab:one, because" in html(owner)
    assert AuthProfile.objects.get(name="lab:one").secret == "sk-never-shown"
    owner.client.post("/credentials/switch/", {"name": "gone", "to": "on"})
    assert "There is no credential gone." in html(owner)


def test_others_may_look_only(viewer: Visitor) -> None:
    credential_failed(credential="lab:one", model="small", reason="billing", message="account 77")
    shown = html(viewer)
    assert "not paid" in shown
    assert "account 77" not in shown
    assert "Switch off" not in shown
    for path in ("retry", "switch"):
        answer = viewer.client.post(f"/credentials/{path}/", {"name": "lab:one", "to": "off"})
        assert answer.status_code == 403
    assert AuthProfile.objects.get(name="lab:one").enabled
    assert ProfileState.objects.exclude(until=None).exists()
