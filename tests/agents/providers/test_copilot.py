"""GitHub Copilot: short-lived tokens, an editor's headers, chat where the token says."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import httpx
import pytest

from agents.core.errors import ProviderError, UserError
from agents.core.messages import Image, Text, ToolCall, ToolResultMessage, UserMessage
from agents.providers.github_copilot.addresses import github_addresses
from agents.providers.github_copilot.device import device_code_ask, device_code_check
from agents.providers.github_copilot.tokens import CopilotToken, token_exchange, token_unpack
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import Harness, model_for
from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN


@pytest.fixture
def copilot(pool: ClientPool, model_server: ModelServer) -> Harness:
    model_server.reset()
    github(model_server, reset=True)
    return Harness(model_for(model_server, "github-copilot"), pool, model_server)


def github(server: ModelServer, **values: Any) -> dict[str, Any]:
    """Sets what the scripted GitHub does next; tells how it stands."""
    state: dict[str, Any] = httpx.post(f"{server.url}/__github", json=values).json()
    return state


async def test_it_works(copilot: Harness) -> None:
    for word in ("one", "two"):
        assert (await copilot.call(f"[[echo:{word}]]")).done.text == word
    assert github(copilot.server)["tokens"] == 1
    assert copilot.server.requests()[-1]["path"] == "/copilot/chat/completions"


async def test_what_a_call_counts_as(copilot: Harness) -> None:
    question = UserMessage((Text('[[tool:read {"path": "a"}]]'), Image("AAAA", "image/png")))
    asked = await copilot.call(question)
    headers = github(copilot.server)["last_headers"]
    assert headers["X-Initiator"] == "user"
    assert headers["Copilot-Vision-Request"] == "true"
    result = ToolResultMessage(asked.calls[0].id, "read", (Text("r"),))
    await copilot.call("[[tool:read {}]]", asked.done, result)
    headers = github(copilot.server)["last_headers"]
    assert headers["X-Initiator"] == "agent"
    assert "Copilot-Vision-Request" not in headers
    assert headers["User-Agent"].startswith("GitHubCopilotChat/")


async def test_one_purchase_for_calls_side_by_side(copilot: Harness) -> None:
    outcomes = await asyncio.gather(*(copilot.call(f"[[echo:{n}]]") for n in range(6)))
    assert [one.done.text for one in outcomes] == [str(n) for n in range(6)]
    assert github(copilot.server)["tokens"] == 1


async def test_a_token_near_its_end_is_renewed_but_not_at_every_call(copilot: Harness) -> None:
    github(copilot.server, token_life=200)
    for _ in range(3):
        assert (await copilot.call("hi")).done.text == "ok"
    # It would be due at once again; between two purchases there are five seconds at least.
    assert github(copilot.server)["tokens"] == 1


async def test_a_token_refused_before_its_end_is_replaced_once(copilot: Harness) -> None:
    await copilot.call("hi")
    github(copilot.server, revoked=True)
    assert (await copilot.call("hi")).done.text == "ok"
    assert github(copilot.server)["tokens"] == 2


async def test_a_stored_token_is_used_as_it_is(copilot: Harness) -> None:
    bought = token_exchange(github_token=GITHUB_TOKEN, github_url=copilot.server.url)
    assert bought.endpoint == f"{copilot.server.url}/copilot"
    stored = replace(copilot, model=replace(copilot.model, api_key=bought.packed()))
    assert (await stored.call("hi")).done.text == "ok"
    github(copilot.server, revoked=True)
    outcome = await stored.call("hi")
    assert (outcome.error.reason, outcome.error.http_status) == ("auth", 401)
    assert github(copilot.server)["tokens"] == 1


@pytest.mark.parametrize(
    ("key", "values", "reason"),
    [
        ("gho_wrong", {}, "auth_permanent"),
        (GITHUB_TOKEN, {"token_status": 403}, "auth"),
        (GITHUB_TOKEN, {"token_status": 404}, "auth"),
        (GITHUB_TOKEN, {"token_status": 500}, "timeout"),
        ("", {}, "auth"),
    ],
)
async def test_no_token_is_a_failure_of_its_kind(
    copilot: Harness, key: str, values: dict[str, Any], reason: str
) -> None:
    github(copilot.server, **values)
    outcome = await copilot.call("hi", model={"api_key": key})
    assert outcome.error.reason == reason
    assert copilot.server.stats().get("copilot", 0) == 0


async def test_an_old_token_is_used_while_github_is_away(copilot: Harness) -> None:
    github(copilot.server, token_life=100)
    await copilot.call("hi")
    client: Any = await copilot.pool.client(copilot.model)
    client.wallet._next.clear()
    github(copilot.server, token_status=500)
    assert (await copilot.call("hi")).done.text == "ok"
    # Asked in vain once; the next question is a minute away.
    assert client.wallet._next[GITHUB_TOKEN] > time.time() + 50


def test_reading_tokens() -> None:
    token = "tid=1;exp=1767225600;sku=x;proxy-ep=proxy.business.githubcopilot.com;8kp=1:sig"
    found = token_unpack(token)
    assert found is not None
    assert (found.token, found.expires_at) == (token, 1767225600.0)
    assert found.endpoint == "https://api.business.githubcopilot.com"
    assert token_unpack(found.packed()) == found
    assert token_unpack("gho_abc") is None
    assert token_unpack("{broken") is None
    elsewhere = token_unpack("tid=1;exp=5;proxy-ep=proxy.evil.example;x")
    assert elsewhere == CopilotToken("tid=1;exp=5;proxy-ep=proxy.evil.example;x", 5.0)
    assert "abc" not in repr(CopilotToken("abc", 1.0))


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert github_addresses().token == "https://api.github.com/copilot_internal/v2/token"
    monkeypatch.setenv("COPILOT_GITHUB_URL", "https://acme.ghe.com/")
    assert github_addresses().device == "https://acme.ghe.com/login/device/code"
    assert github_addresses().token == "https://api.acme.ghe.com/copilot_internal/v2/token"
    for wrong in ("http://github.com", "ftp://x", "acme.ghe.com"):
        with pytest.raises(UserError, match="https://"):
            github_addresses(wrong)


@pytest.mark.parametrize(
    ("device", "outcome", "interval"),
    [
        ("pending", "waiting", 0),
        ("slow_down", "waiting", 6),
        ("denied", "denied", 0),
        ("expired", "expired", 0),
        ("approved", "done", 0),
    ],
)
def test_device_sign_in(copilot: Harness, device: str, outcome: str, interval: int) -> None:
    github(copilot.server, device=device)
    code = device_code_ask(github_url=copilot.server.url)
    assert (code.user_code, code.interval) == ("WDJB-MJHT", 1)
    assert "device-secret" not in repr(code)
    answer = device_code_check(
        device_code=code.device_code, interval=1, github_url=copilot.server.url
    )
    assert (answer.outcome, answer.interval) == (outcome, interval)
    assert answer.token == (GITHUB_TOKEN if outcome == "done" else "")


def test_device_sign_in_without_github() -> None:
    nowhere = "http://127.0.0.1:9"
    with pytest.raises(ProviderError, match="did not answer"):
        device_code_ask(github_url=nowhere)
    answer = device_code_check(device_code="x", interval=5, github_url=nowhere)
    assert answer.outcome == "waiting"


def test_calls_of_claude_models_may_come_in_two_choices() -> None:
    from agents.core.model import ModelInfo, ModelRequest
    from agents.providers.openai_completions.chunks import ChunkDecoder

    decoder = ChunkDecoder(ModelRequest(ModelInfo("github-copilot", "m", "github-copilot"), ()))
    call = {"id": "c1", "function": {"name": "read", "arguments": "{}"}}
    decoder.feed_whole(
        {
            "choices": [
                {"message": {"content": "Let me see."}, "finish_reason": "tool_calls"},
                {"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"},
            ]
        }
    )
    text, found = decoder.assembly.finish(ended=True)
    assert text == Text("Let me see.")
    assert isinstance(found, ToolCall)
