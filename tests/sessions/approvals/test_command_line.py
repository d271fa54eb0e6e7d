"""`manage.py approvals`, and what is kept of the questions of programs."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.core.errors import UserError
from sessions.approvals.programs import approval_request, approvals_prune
from sessions.approvals.selectors import approval_find
from sessions.models import Approval
from sessions.people import owner_ensure
from tests.platform.redis_server import RedisServer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def redis(clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions are told to everybody; nothing of an agent is in the environment."""
    monkeypatch.delenv("OPENCLAW_SHELL", raising=False)


def asked(command: str = "git push", **fields: object) -> Approval:
    """A question of a program of the owner."""
    return approval_request(
        principal=owner_ensure().principal(), request={"command": command, **fields}
    )


def printed(*words: str) -> str:
    """What the command writes."""
    out = StringIO()
    call_command("approvals", *words, stdout=out)
    return out.getvalue()


def test_it_works() -> None:
    """Listed, decided, and listed among what has ended."""
    assert printed("list") == "Nothing waits for a decision.\n"
    approval = asked()
    assert approval.slug in printed("list")
    assert printed("resolve", approval.slug, "allow-once") == f"{approval.slug}  allowed once\n"
    assert printed("list") == "Nothing waits for a decision.\n"
    assert "git push" in printed("list", "--ended")
    with pytest.raises(CommandError, match="Too late"):
        printed("resolve", approval.slug, "deny")


def test_an_agent_does_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands carry a mark."""
    approval = asked()
    monkeypatch.setenv("OPENCLAW_SHELL", "exec")
    with pytest.raises(CommandError, match="Only a person"):
        printed("resolve", approval.slug, "allow-once")
    approval.refresh_from_db()
    assert approval.state == "pending"


def test_beginnings_of_ids() -> None:
    """Four characters of an id or code, if only one begins so."""
    owner = owner_ensure().principal()
    first, second = asked(), asked()
    assert approval_find(ref=first.slug[:6], principal=owner) == first
    assert approval_find(ref=second.pk.upper(), principal=owner) == second
    with pytest.raises(UserError, match="several"):
        approval_find(ref=first.pk[:6], principal=owner)


def test_ask_always_offers_no_always() -> None:
    """Who wants to be asked each time cannot allow for good."""
    assert asked(ask="always").decisions == ["allow-once", "deny"]
    assert "allow-always" in asked(ask="on-miss").decisions


def test_old_questions_go() -> None:
    """Those of programs, once they have ended long ago."""
    old, young, waiting = asked(), asked(), asked()
    long_ago = timezone.now() - timedelta(days=40)
    Approval.objects.filter(pk__in=[old.pk, waiting.pk]).update(expires_at=long_ago)
    Approval.objects.filter(pk__in=[old.pk, young.pk]).update(state="deny")
    assert approvals_prune() == 1
    assert set(Approval.objects.all()) == {young, waiting}
