"""Every fault of every service: its class, what is done, and how the credentials fare."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

import pytest

from agents.config.cache import cache_clear
from agents.database import run_db
from agents.models import AuthProfile, ProfileState, Provider
from sessions.models import InboxItem, ModelCall
from sessions.turns import attempt_policy
from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN
from tests.sessions.stage import Stage

pytestmark = pytest.mark.exhaustive

APIS = (
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
    "ollama",
    "bedrock-converse-stream",
    "github-copilot",
)
FIRST, SECOND, MODEL = "vendor:first", "vendor:second", "fake-1"
WEEKLY = "[[because:You have reached your weekly usage limit. Try again later.]]"
UNFIT = "[[because:messages.3: tool_use_id must match a tool call]]"
QUIET = "[[retry_after:none]]"


@dataclass(frozen=True)
class Expected:
    """The class and the step of the first call, how it ended, and who rests for what.

    `rests` maps (credential, model or "" for the whole) to the reason.
    """

    reason: str
    step: str
    outcome: str = "answered"
    rests: Any = ()


def _whole(reason: str, *names: str) -> dict[tuple[str, str], str]:
    return {(name, ""): reason for name in names}


def _model(reason: str, *names: str) -> dict[tuple[str, str], str]:
    return {(name, MODEL): reason for name in names}


BOTH = (FIRST, SECOND)
# What is asked of the server → what must come of it.
FAULTS: dict[str, Expected] = {
    "[[status:401:1]]": Expected("auth", "rotate", rests=_whole("auth", FIRST)),
    "[[status:403:1]]": Expected("auth", "rotate", rests=_whole("auth", FIRST)),
    "[[status:402:1]]": Expected("billing", "rotate", rests=_whole("billing", FIRST)),
    "[[status:402]]": Expected("billing", "rotate", "explained", _whole("billing", *BOTH)),
    f"[[status:402:1]] {WEEKLY}": Expected(
        "rate_limit", "rotate", rests=_model("rate_limit", FIRST)
    ),
    "[[status:404:1]]": Expected(
        "model_not_found", "rotate", rests=_model("model_not_found", FIRST)
    ),
    f"[[status:400]] {UNFIT}": Expected("format", "stop", "explained"),
    "[[overflow]]": Expected("context_overflow", "stop", "explained"),
    "[[status:408:1]]": Expected("timeout", "retry"),
    "[[status:429:1]] [[retry_after:0.01]]": Expected("rate_limit", "backoff"),
    "[[status:429:1]] [[retry_after:30]]": Expected(
        "rate_limit", "rotate", rests=_model("rate_limit", FIRST)
    ),
    f"[[status:429:1]] {QUIET}": Expected(
        "rate_limit", "rotate", rests=_model("rate_limit", FIRST)
    ),
    "[[status:500:1]]": Expected("timeout", "retry"),
    "[[status:502:1]]": Expected("timeout", "retry"),
    f"[[status:503:1]] {QUIET}": Expected("timeout", "retry"),
    f"[[status:529:1]] {QUIET}": Expected("overloaded", "backoff"),
    "[[status:500]]": Expected("timeout", "retry", "explained", _model("timeout", *BOTH)),
    f"[[status:529]] {QUIET}": Expected(
        "overloaded", "backoff", "explained", _model("overloaded", *BOTH)
    ),
    "[[tokens:20]] [[drop:3]]": Expected(
        "timeout", "retry", "explained", _model("timeout", *BOTH)
    ),
    "[[odd:html]]": Expected("timeout", "retry", "explained", _model("timeout", *BOTH)),
    "[[odd:error_object]]": Expected(
        "overloaded", "backoff", "explained", _model("overloaded", *BOTH)
    ),
}  # fmt: skip

# Its client buys a new short-lived token and asks again before anybody hears of the refusal.
COPILOT = {"[[status:401:1]]": Expected("", "")}


@pytest.fixture(autouse=True)
def _alone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """One model, asked at once again, so that only its credentials are left."""
    monkeypatch.setenv("OPENCLAW_MODEL", f"vendor/{MODEL}")
    monkeypatch.setattr(attempt_policy, "RETRY_WAITS", (0.001, 0.001))
    monkeypatch.setattr(attempt_policy, "RATE_WAITS", (0.001, 0.001, 0.001))
    monkeypatch.setattr(attempt_policy, "OVERLOAD_WAITS", (0.001, 0.001, 0.001, 0.001))


def _provide(server: ModelServer, api: str, url: str = "") -> None:
    server.reset()
    paths = {"openai-completions": server.openai_url}
    copilot = api == "github-copilot"
    compat = {"githubUrl": url or server.url} if copilot else {}
    Provider.objects.create(
        name="vendor",
        api=api,
        base_url="" if copilot else url or paths.get(api, server.url),
        catalog=[{"id": MODEL, "contextWindow": 100_000, "compat": compat}],
        timeout_seconds=1,
        settings={"auth": "token"},
    )
    for position, name in enumerate(BOTH):
        AuthProfile.objects.create(
            name=name,
            provider="vendor",
            mode=AuthProfile.Mode.TOKEN,
            secret=GITHUB_TOKEN if copilot else f"scripted-secret-{position}",
            data={"region": "eu-central-1"},
            position=position,
        )
    cache_clear()


def _forget() -> None:
    ProfileState.objects.all().delete()
    cache_clear()


async def _seen(stage: Stage, text: str, number: int) -> Expected:
    engine = stage.engines[0]
    key = f"agent:main:fault-{number}"
    accepted = await stage.accept(text, key=key)
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    await stage.idle(engine)
    return await run_db(_expected, item)


def _expected(item: InboxItem) -> Expected:
    first = ModelCall.objects.filter(run=item.run).order_by("number").first()
    assert first is not None
    states = ProfileState.objects.exclude(until=None, permanent=False)
    rests = {(state.profile, state.model.rpartition("/")[2]): state.reason for state in states}
    return Expected(first.error_kind, first.action, item.outcome, rests or ())


@pytest.mark.parametrize("api", APIS)
async def test_it_works(stage: Stage, model_server: ModelServer, api: str) -> None:
    """The whole table for one service."""
    table = {**FAULTS, **(COPILOT if api == "github-copilot" else {})}
    await run_db(_provide, model_server, api)
    await stage.engine()
    found = {}
    for number, fault in enumerate(table):
        found[fault] = await _seen(stage, fault, number)
        await run_db(_forget)
    wrong = [
        f"{fault}: {found[fault]}, not {expected}"
        for fault, expected in table.items()
        if found[fault] != expected
    ]
    assert not wrong, "\n".join(wrong)
    assert await stage.faults() == []


@pytest.mark.parametrize("api", APIS)
async def test_nobody_listens_there(stage: Stage, model_server: ModelServer, api: str) -> None:
    """A refused connection."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        await run_db(_provide, model_server, api, f"http://127.0.0.1:{closed.getsockname()[1]}")
        await stage.engine()
        found = await _seen(stage, "hello", 0)
    assert found == Expected("timeout", "retry", "explained", _model("timeout", *BOTH))


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", ["[[tokens:9]] [[stall:2]]", "[[hang]]"])
async def test_silence(
    stage: Stage, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, api: str, fault: str
) -> None:
    """Nothing comes for the provider's idle limit, at the beginning or in the middle."""
    monkeypatch.setattr(attempt_policy, "RETRY_WAITS", ())
    await run_db(_provide, model_server, api)
    await stage.engine()
    found = await _seen(stage, fault, 0)
    assert found == Expected("timeout", "rotate", "explained", _model("timeout", *BOTH))
