"""The control panel."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from redis.client import PubSub

from agents.models import Agent
from channels_app.models import Device
from channels_app.pages.activity import runs_by_hour
from sessions.models import Delivery, Run
from sessions.stops import everything_stopped
from tests.channels_app.pages.conftest import Visitor, run_of, session_of
from tests.platform.redis_server import RedisServer

KEY = "agent:main:main"


def panel(visitor: Visitor) -> str:
    return visitor.client.get("/").content.decode()


def test_it_works(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    run_of(session, preview="last one", ended_at=timezone.now())
    run_of(session, preview="now one", state=Run.State.RUNNING, outcome="")

    html = panel(owner)

    for text in ("last one", "now one", "This is a rehearsal", "answers", "Stop everything"):
        assert text in html


def test_missing_workers_are_said(owner: Visitor, clean_redis: RedisServer) -> None:
    assert "none; messages wait" in panel(owner)

    client = clean_redis.client()
    worker: PubSub = client.pubsub()  # type: ignore[no-untyped-call]
    worker.subscribe("oc:control")
    worker.get_message(timeout=5)
    assert "1 ready" in panel(owner)

    web: PubSub = client.pubsub()  # type: ignore[no-untyped-call]
    web.subscribe("oc:control", "oc:live")
    web.get_message(timeout=5)
    web.get_message(timeout=5)
    assert "1 ready" in panel(owner)


def test_what_needs_a_person_is_listed(owner: Visitor, member: Visitor) -> None:
    session = session_of(owner.person, KEY)
    failed = run_of(
        session, outcome=Run.Outcome.ERROR, error_message="quota used up", ended_at=timezone.now()
    )
    Delivery.objects.create(run=failed, kind="telegram", state="unknown")
    Device.objects.create(id="f" * 64, public_key="k", name="Ada's phone")

    html = panel(owner)

    for text in ("quota used up", "no receipt came back", "Ada&#x27;s phone"):
        assert text in html
    for text in ("quota used up", "telegram", "phone"):
        assert text not in panel(member)


def test_the_live_part_is_sent_only_when_it_changed(owner: Visitor) -> None:
    first = owner.client.get("/panel/live/")
    tag = first.headers["ETag"]

    assert owner.client.get("/panel/live/", headers={"if-none-match": tag}).status_code == 304

    session_of(owner.person, KEY)
    changed = owner.client.get("/panel/live/", headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert KEY in changed.content.decode()


def test_an_agent_is_created(owner: Visitor) -> None:
    form = {"name": "Research helper", "model": "", "workspace": ""}

    answer = owner.client.post("/panel/agents/", form, follow=True)

    assert Agent.objects.get(slug="research-helper").name == "Research helper"
    assert "Research helper is ready" in answer.content.decode()


def test_a_bad_agent_is_explained_and_what_was_typed_stays(owner: Visitor) -> None:
    form = {"name": "Helper", "model": "nobody/none", "workspace": ""}

    answer = owner.client.post("/panel/agents/", form)

    html = answer.content.decode()
    assert answer.status_code == 400
    assert 'role="alert"' in html
    assert 'value="nobody/none"' in html
    assert not Agent.objects.filter(name="Helper").exists()


def test_everything_stops_and_starts_again(owner: Visitor) -> None:
    owner.client.post("/panel/switch/", {"to": "stop", "reason": "drill"})
    assert everything_stopped()
    assert "Let everything run" in panel(owner)

    owner.client.post("/panel/switch/", {"to": "run"})
    assert not everything_stopped()
    assert "Let everything run" not in panel(owner)


def test_the_last_day_is_drawn_hour_by_hour(owner: Visitor) -> None:
    assert "Runs an hour" not in panel(owner)
    session = session_of(owner.person, KEY)
    now = timezone.now()
    run_of(session, started_at=now)
    run_of(session, started_at=now, outcome=Run.Outcome.ERROR)
    run_of(session, started_at=now - timedelta(days=2))

    chart = runs_by_hour(principal=owner.principal)

    assert chart is not None
    assert [bar.value for bar in chart.bars] == [0] * 23 + [2]
    assert [chart.bars[-1].bad, chart.bars[-1].height, chart.bars[-1].bad_height] == [1, 72, 36]
    assert "Runs an hour" in panel(owner)
