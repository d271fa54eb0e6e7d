"""Other models of the chain, by real calls: which one is asked, and what the run shows."""

from __future__ import annotations

from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.database import run_db
from agents.models import Agent, AuthProfile, ProfileState, Provider
from sessions.models import ModelCall, Run, Session
from sessions.turns import attempt_policy
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage

KEY = "agent:main:chain"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


@pytest.fixture(autouse=True)
def _impatient(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCLAW_MODEL")
    monkeypatch.setattr(attempt_policy, "RETRY_WAITS", (0.001, 0.001))
    monkeypatch.setattr(attempt_policy, "OVERLOAD_WAITS", (0.001,))


def _rows(server: ModelServer, *, key: bool = True, **facts: object) -> None:
    """One provider with the models a, b and c, asked in this order."""
    server.reset()
    catalog = [{"id": name, **facts} for name in ("a", "b", "c")]
    Provider.objects.create(
        name="vendor", api="openai-completions", base_url=server.openai_url, catalog=catalog
    )
    if key:
        AuthProfile.objects.create(name="vendor:one", provider="vendor", secret="scripted-one")
    Agent.objects.update_or_create(
        slug="main", defaults={"model": "vendor/a", "fallbacks": ["vendor/b", "vendor/c"]}
    )
    cache_clear()


async def _run(stage: Stage, text: str, **fields: Any) -> Run:
    engine = stage.engines[0] if stage.engines else await stage.engine()
    accepted = await stage.accept(text, key=KEY, **fields)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.idle(engine)
    assert item.run is not None
    return item.run


def _asked(run: Run) -> list[tuple[str, str, str]]:
    calls = ModelCall.objects.filter(run=run).order_by("number")
    return list(calls.values_list("model", "error_kind", "action"))


def _resting() -> dict[tuple[str, str], str]:
    states = ProfileState.objects.exclude(until=None)
    return {(state.profile, state.model.rpartition("/")[2]): state.reason for state in states}


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    """A and B are not found: C is asked with the same key, which does not rest for C."""
    await run_db(_rows, model_server)
    run = await _run(stage, "[[status:404:2]] [[echo:from c]]")
    assert (run.reply, run.provider, run.model) == ("from c", "vendor", "c")
    assert await run_db(_asked, run) == [
        ("a", "model_not_found", "fallback"),
        ("b", "model_not_found", "fallback"),
        ("c", "", ""),
    ]
    assert await run_db(_resting) == {
        ("vendor:one", "a"): "model_not_found",
        ("vendor:one", "b"): "model_not_found",
    }
    assert [request["body"]["model"] for request in model_server.requests()] == ["a", "b", "c"]
    assert len(run.warnings) == 2
    assert await stage.faults() == []


async def test_a_refused_key_is_not_tried_again(stage: Stage, model_server: ModelServer) -> None:
    """It was refused for A: B has the same one, so C of another provider is asked at once."""
    await run_db(_rows, model_server)
    await run_db(
        lambda: Provider.objects.create(
            name="other", api="openai-completions", base_url=model_server.openai_url,
            catalog=[{"id": "c"}],
        )
    )  # fmt: skip
    await run_db(lambda: Agent.objects.update(fallbacks=["vendor/b", "other/c"]))
    cache_clear()
    run = await _run(stage, "[[status:401:1]] [[echo:from c]]")
    assert await run_db(_asked, run) == [("a", "auth", "fallback"), ("c", "", "")]
    assert await run_db(_resting) == {("vendor:one", ""): "auth"}


async def test_what_rests_is_passed_over(stage: Stage, model_server: ModelServer) -> None:
    """A model that failed a moment ago is probed once by the next turn, then left alone."""
    await run_db(_rows, model_server)
    await _run(stage, "[[status:404:2]] [[echo:from c]]")
    model_server.reset()
    again = await _run(stage, "[[status:404:1]] [[echo:there]]")
    third = await _run(stage, "[[echo:here]]")
    assert (again.reply, third.reply) == ("there", "here")
    assert [request["body"]["model"] for request in model_server.requests()] == ["a", "b", "b"]


async def test_a_stop_asks_nobody_else(stage: Stage, model_server: ModelServer) -> None:
    await run_db(_rows, model_server)
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]", key=KEY)
    engine.submit(accepted.session_id)
    await stage.running(accepted)
    await stage.until(lambda: model_server.stats().get("in_flight", 0) > 0)
    engine.control({"t": "stop", "session": accepted.session_id, "kind": "stop"})
    item = await stage.ended(accepted)
    assert item.outcome == "stopped"
    assert [request["body"]["model"] for request in model_server.requests()] == ["a"]


async def test_all_of_them_fail(stage: Stage, model_server: ModelServer) -> None:
    """One clear text that names each model's error, and nothing rests for a bad request."""
    await run_db(_rows, model_server)
    run = await _run(stage, "[[status:400]] [[because:string should match pattern]]")
    assert (run.outcome, run.error_kind) == ("error", "format")
    assert [name in run.error_message for name in ("vendor/a", "vendor/b", "vendor/c")] == [
        True
    ] * 3
    assert await run_db(_resting) == {}


async def test_only_models_that_can_see(stage: Stage, model_server: ModelServer) -> None:
    """An image was sent: a model without eyes is passed over."""
    await run_db(_rows, model_server, input=["text", "image"])

    def blind() -> None:
        rows = Provider.objects.get(name="vendor")
        rows.catalog[1]["input"] = ["text"]
        rows.save()
        cache_clear()

    await run_db(blind)
    engine = await stage.engine()
    image = {"type": "image", "mimeType": "image/png", "content": PIXEL}
    accepted = await stage.accept("[[status:404:1]] look", key=KEY, attachments=[image])
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    assert [request["body"]["model"] for request in model_server.requests()] == ["a", "c"]


async def test_a_session_keeps_its_credential(stage: Stage, model_server: ModelServer) -> None:
    """The one that answered is asked first next time, though another stands before it."""
    await run_db(_rows, model_server)
    await run_db(
        lambda: AuthProfile.objects.create(
            name="vendor:two", provider="vendor", secret="scripted-two", position=1
        )
    )
    cache_clear()
    await _run(stage, "[[status:401:1]] [[echo:x]]")
    await run_db(lambda: ProfileState.objects.all().delete())
    cache_clear()
    run = await _run(stage, "[[echo:y]]")
    call = await run_db(lambda: ModelCall.objects.get(run=run))
    assert call.profile == "vendor:two"
    assert (await run_db(lambda: Session.objects.get(key=KEY))).profile == "vendor:two"


async def test_a_message_names_its_credential(stage: Stage, model_server: ModelServer) -> None:
    """For itself alone; one that is not known is explained, and no other is taken."""
    await run_db(_rows, model_server)
    await run_db(
        lambda: AuthProfile.objects.create(
            name="vendor:two", provider="vendor", secret="scripted-two", position=1
        )
    )
    cache_clear()
    found = []
    for model in ("vendor/b@vendor:two", "vendor/b@vendor:three", ""):
        run = await _run(stage, f"hello {model}", options={"model": model})
        call = await run_db(ModelCall.objects.filter(run=run).first)
        found.append((call.model, call.profile) if call else run.error_message)
    assert found[0] == ("b", "vendor:two")
    assert "There is no credential vendor:three for vendor." in str(found[1])
    assert found[2] == ("a", "vendor:one")


async def test_all_rest(stage: Stage, model_server: ModelServer) -> None:
    """The person is told when it goes on; the only model is probed once in a while."""
    await run_db(_rows, model_server)
    await run_db(lambda: Agent.objects.update(fallbacks=[]))
    cache_clear()
    down = "[[status:500]]"
    await _run(stage, down)
    await _run(stage, f"{down} again")
    model_server.reset()
    run = await _run(stage, f"{down} once more")
    assert run.outcome == "error"
    assert "rests until" in run.error_message
    assert model_server.requests() == []


async def test_a_cut_answer_is_made_again(stage: Stage, model_server: ModelServer) -> None:
    """What was shown of the first try is taken back by the next one."""
    await run_db(_rows, model_server)
    run = await _run(stage, "[[tokens:9]] [[drop:3]]")
    assert run.outcome == "error"
    records = await stage.live_records(run.session_id)
    kinds = [record["t"] for record in records if record["t"] in ("run.start", "run.resume")]
    assert kinds[0] == "run.start"
    assert set(kinds[1:]) == {"run.resume"}
    asked = await run_db(_asked, run)
    assert [name for name, _, _ in asked] == ["a", "a", "b", "b", "c", "c", "c"]


async def test_reasoning_that_is_refused_is_left_out(
    stage: Stage, model_server: ModelServer
) -> None:
    """The session is not blocked for ever: the same model answers without the old reasoning."""

    def thinking() -> None:
        _rows(model_server, reasoning=True)
        Provider.objects.update(api="anthropic-messages", base_url=model_server.url)
        Agent.objects.update(thinking="low")
        cache_clear()

    await run_db(thinking)
    await _run(stage, "[[think:hm]] [[echo:first]]")
    model_server.reset()
    because = "[[because:messages.1.content.0: Invalid `signature` in `thinking` block]]"
    run = await _run(stage, f"[[status:400:1]] {because} [[echo:second]]")
    assert run.reply == "second"
    assert await run_db(_asked, run) == [("a", "format", "retry"), ("a", "", "")]
    first, second = (str(request["body"]["messages"]) for request in model_server.requests())
    assert "'thinking'" in first
    assert "'thinking'" not in second
    assert await run_db(_resting) == {}
