"""Runs over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sessions.models import (
    Compaction,
    HookCall,
    InboxItem,
    ModelCall,
    Person,
    Run,
    Session,
    ToolCall,
    Transcript,
)
from tests.channels_app.rest.api import Api
from tests.platform.redis_server import RedisServer

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def run_make(person: Person, key: str, at: datetime = NOON, **fields: object) -> Run:
    """An ended run in a session of its own."""
    session, _made = Session.objects.get_or_create(
        key=f"agent:main:web:{key}", defaults={"agent_slug": "main", "owner": person}
    )
    transcript = Transcript.objects.create(session=session)
    values = {"state": "ended", "outcome": "final", "wire_id": f"wire-{key}", **fields}
    return Run.objects.create(
        session=session,
        transcript=transcript,
        person=person,
        agent_slug="main",
        accepted_at=at,
        started_at=at,
        ended_at=at + timedelta(seconds=2) if values["state"] == "ended" else None,
        **values,
    )


def test_it_works(api: Api, owner: Person) -> None:
    """A run with its calls, by either of its ids."""
    run = run_make(owner, "a", reply="done", cost=0.25, cost_known=True, input_tokens=10)
    ModelCall.objects.create(run=run, number=1, provider="p", model="m", state="done", cost=0.25)
    ToolCall.objects.create(
        run=run,
        entry_id="1",
        call_id="c",
        name="exec",
        arguments={"command": "curl -H 'Authorization: Bearer abcdefghijklmnop'"},
        state="done",
    )
    for run_id in (run.pk, run.wire_id):
        body = api.get(f"runs/{run_id}/").body
        assert (body["id"], body["runId"], body["text"]) == (run.pk, "wire-a", "done")
        assert body["state"] == "final"
    assert (body["usage"]["input"], body["usage"]["cost"]) == (10, {"total": 0.25})
    assert (body["modelCalls"][0]["number"], body["modelCalls"][0]["cost"]) == (1, None)
    assert body["toolCalls"][0]["name"] == "exec"
    assert "abcdefghijklmnop" not in str(body["toolCalls"])


def test_how_it_kept_going(api: Api, owner: Person) -> None:
    """Attempts, summaries, hooks, warnings; the list can be asked for such runs."""
    run = run_make(owner, "hard", warnings=["another model answered"])
    run_make(owner, "plain")
    ModelCall.objects.create(
        run=run, number=1, provider="p", model="m", state="failed", error_kind="rate_limit",
        http_status=429, profile="p:work", action="rotate", action_reason="the next one",
    )  # fmt: skip
    ModelCall.objects.create(run=run, number=2, provider="p", model="m", state="done", attempt=2)
    Compaction.objects.create(
        session=run.session, transcript=run.transcript, run=run, trigger="budget", outcome="done",
        tokens_before=9, tokens_after=5,
    )  # fmt: skip
    HookCall.objects.create(run=run, hook="llm_input", handler="a:b", outcome="done")
    body = api.get(f"runs/{run.pk}/").body
    assert body["warnings"] == ["another model answered"]
    assert (body["failedOver"], body["compacted"]) == (True, True)
    first, second = body["modelCalls"]
    assert (first["profile"], first["action"], first["actionReason"], first["httpStatus"]) == (
        "p:work", "rotate", "the next one", 429,
    )  # fmt: skip
    assert (second["attempt"], second["purpose"]) == (2, "turn")
    assert (body["compactions"][0]["tokensBefore"], body["hookCalls"][0]["hook"]) == (
        9,
        "llm_input",
    )
    for had in ("failover", "compaction"):
        assert [row["id"] for row in api.get(f"runs/?had={had}").body["results"]] == [run.pk]
    assert api.get("runs/?had=nonsense").status == 400


def test_filters(api: Api, owner: Person) -> None:
    """By state, agent, session and day."""
    run_make(owner, "good")
    run_make(owner, "bad", outcome="error", error_kind="auth", error_message="no key")
    run_make(owner, "now", state="running", outcome="")
    run_make(owner, "old", at=NOON - timedelta(days=3))

    def found(query: str) -> set[str]:
        return {run["runId"] for run in api.get(f"runs/?{query}").body["results"]}

    assert found("state=error") == {"wire-bad"}
    assert found("state=running") == {"wire-now"}
    assert found("day=2026-03-01") == {"wire-old"}
    assert found("session=agent:main:web:good") == {"wire-good"}
    assert len(found("agent=main")) == 4
    assert found("agent=other") == set()
    bad = api.get("runs/?state=error").body["results"][0]
    assert bad["error"] == {"kind": "auth", "message": "no key"}


def test_day_is_the_callers_own(api: Api, owner: Person) -> None:
    """Shortly after midnight in Tokyo it is still yesterday in London."""
    run_make(owner, "late", at=datetime(2026, 3, 4, 16, tzinfo=UTC))
    assert len(api.get("runs/?day=2026-03-04").body["results"]) == 1
    api.patch("me/", {"zone": "Asia/Tokyo"})
    assert api.get("runs/?day=2026-03-04").body["results"] == []
    assert len(api.get("runs/?day=2026-03-05").body["results"]) == 1


@pytest.mark.parametrize("query", ["state=done", "day=today", "day=2026-02-30", "stat=error"])
def test_bad_query_is_named(api: Api, query: str) -> None:
    """The parameter stands in the message."""
    answer = api.get(f"runs/?{query}")
    assert answer.status == 400
    assert query.partition("=")[0] in answer.error["message"]


def test_foreign_runs_do_not_exist(api: Api, owner: Person, member_api: Api) -> None:
    """Neither in the list nor by id, and they cannot be stopped."""
    run = run_make(owner, "mine", state="running", outcome="")
    assert member_api.get("runs/").body["results"] == []
    assert member_api.get(f"runs/{run.pk}/").status == 404
    assert member_api.post(f"runs/{run.pk}/stop/").status == 404
    assert Run.objects.get(pk=run.pk).stop_kind == ""


def test_stop_asks_the_running_turn(api: Api, owner: Person, clean_redis: RedisServer) -> None:
    """Its worker is told, and the row says who asked."""
    run = run_make(owner, "running", state="running", outcome="")
    assert api.post(f"runs/{run.pk}/stop/").status == 200
    run.refresh_from_db()
    assert (run.stop_kind, run.stop_by) == ("rpc", "olga")


def test_stop_ends_a_waiting_message(api: Api, clean_redis: RedisServer) -> None:
    """No worker is needed for that."""
    wire = api.post("sessions/main/messages/", {"text": "x"}).body["runId"]
    assert api.post(f"runs/{wire}/stop/").body == {"stopped": [wire]}
    assert InboxItem.objects.get().outcome == "stopped"
    assert api.get(f"runs/{wire}/").body["state"] == "aborted"


def test_unknown_run(api: Api) -> None:
    """404 in the one shape of all errors."""
    assert api.get("runs/nothing/").error["code"] == "not_found"
    assert api.post("runs/nothing/stop/").status == 404
    assert "reason" in api.post("runs/nothing/stop/", {"reason": "x"}).error["message"]


def test_list_costs_the_same_for_many(
    api: Api, owner: Person, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    """Sessions and people come with the rows."""
    for number in range(6):
        run_make(owner, str(number))
    with django_assert_max_num_queries(4):  # type: ignore[operator]
        assert len(api.get("runs/").body["results"]) == 6
