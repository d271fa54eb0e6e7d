"""A stored credential reaches its service: the whole way from the row to the answer."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from agents.catalog.resolve import resolve_model
from agents.config.services import config_apply
from agents.core.abort import AbortSignal
from agents.core.messages import UserMessage
from agents.core.model import Done, ModelInfo, ModelRequest
from agents.credentials.credential import model_with
from agents.credentials.refresh import credential_ready, credential_refresh
from agents.credentials.selectors import credentials_for
from agents.models import AuthProfile
from agents.providers.github_copilot.tokens import token_exchange
from agents.providers.registry import ClientPool
from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN

pytestmark = pytest.mark.django_db


def answer(model: ModelInfo) -> str:
    """What the model says, or the error."""

    async def call() -> str:
        pool = ClientPool()
        request = ModelRequest(model, (UserMessage("[[echo:arrived]]"),))
        events = [event async for event in pool.stream(request, AbortSignal())]
        await pool.aclose()
        final = events[-1]
        return final.message.text if isinstance(final, Done) else str(final)

    return asyncio.run(call())


def copilot_make(server: ModelServer, monkeypatch: pytest.MonkeyPatch, **data: object) -> None:
    monkeypatch.setenv("COPILOT_GITHUB_URL", server.url)
    httpx.post(f"{server.url}/__github", json={"reset": True})
    bought = token_exchange(github_token=GITHUB_TOKEN)
    facts = {"expires": int(bought.expires_at * 1000), "endpoint": bought.endpoint, **data}
    AuthProfile.objects.create(
        name="github-copilot:me",
        provider="github-copilot",
        mode="oauth",
        secret=bought.packed(),
        refresh=GITHUB_TOKEN,
        data=facts,
    )


def test_it_works(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    copilot_make(model_server, monkeypatch)
    model = resolve_model(ref="github-copilot/gpt-4.1")
    (credential,) = credentials_for(model=model, agent="main")
    assert credential.id == "github-copilot:me"
    called = model_with(model, credential_ready(credential=credential))
    assert called.profile == "github-copilot:me"
    assert answer(called) == "arrived"


def test_a_refused_copilot_token_is_bought_anew(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    copilot_make(model_server, monkeypatch)
    model = resolve_model(ref="github-copilot/gpt-4.1")
    (credential,) = credentials_for(model=model, agent="main")
    httpx.post(f"{model_server.url}/__github", json={"revoked": True})
    assert "token expired" in answer(model_with(model, credential))
    renewed = credential_refresh(credential=credential)
    assert renewed.key != credential.key
    assert answer(model_with(model, renewed)) == "arrived"


def test_a_copilot_token_that_ended_is_bought_before_the_call(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    copilot_make(model_server, monkeypatch, expires=1)
    model = resolve_model(ref="github-copilot/gpt-4.1")
    (credential,) = credentials_for(model=model, agent="main")
    ready = credential_ready(credential=credential)
    assert ready.key != credential.key
    assert AuthProfile.objects.get().secret == ready.key
    assert answer(model_with(model, ready)) == "arrived"


def test_a_github_token_of_the_environment(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_GITHUB_URL", model_server.url)
    monkeypatch.setenv("GH_TOKEN", GITHUB_TOKEN)
    model = resolve_model(ref="github-copilot/gpt-4.1")
    (credential,) = credentials_for(model=model, agent="main")
    assert credential.id == "env:github-copilot"
    assert answer(model_with(model, credential)) == "arrived"


@pytest.mark.parametrize(
    ("mode", "secret", "data"),
    [
        ("aws", "scripted/secret", {"accessKeyId": "AKIASCRIPTED", "region": "eu-west-1"}),
        ("api_key", "bedrock-bearer", {"region": "eu-west-1"}),
    ],
)
def test_bedrock(model_server: ModelServer, mode: str, secret: str, data: dict[str, str]) -> None:
    document = "{models: {providers: {'amazon-bedrock': {baseUrl: 'ADDRESS'}}}}"
    config_apply(text=document.replace("ADDRESS", model_server.url))
    AuthProfile.objects.create(
        name="amazon-bedrock:work", provider="amazon-bedrock", mode=mode, secret=secret, data=data
    )
    model = resolve_model(ref="amazon-bedrock/global.anthropic.claude-sonnet-5-5")
    assert model.api == "bedrock-converse-stream"
    first = credentials_for(model=model, agent="main")[0]
    assert first.id == "amazon-bedrock:work"
    assert answer(model_with(model, first)) == "arrived"
