"""Claude on Bedrock: AWS's frames, signatures, kinds of errors."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import boto3
import pytest
from anthropic import AnthropicBedrock
from botocore.exceptions import EventStreamError

from agents.core.model import ModelRequest
from agents.providers.bedrock.client import invocation
from agents.providers.bedrock.credentials import (
    AwsCredentials,
    credentials_pack,
    credentials_unpack,
    region_of,
)
from agents.providers.bedrock.event_stream import EventStreamResponse
from tests.agents.providers.bedrock_harness import PAIR, signed_by
from tests.agents.providers.bedrock_harness import bedrock as bedrock
from tests.agents.providers.harness import Harness
from tests.model_server.aws_frames import chunk, exception
from tests.model_server.fixture import ModelServer

MODEL = "global.anthropic.claude-haiku-4-5-20251001-v1:0"


async def test_it_works(bedrock: Harness) -> None:
    outcome = await bedrock.call("[[echo:Hello from AWS]]", model={"id": MODEL}, system="Be kind.")
    assert outcome.done.text == "Hello from AWS"
    body = bedrock.last_body()
    assert body["model"] == MODEL
    assert body["anthropic_version"] == "bedrock-2023-05-31"
    assert body["system"][0]["text"] == "Be kind."
    headers = {name.lower(): v for name, v in bedrock.server.requests()[-1]["headers"].items()}
    assert headers["x-amz-date"].endswith("Z")


async def test_betas_go_into_the_body(bedrock: Harness) -> None:
    model = {"id": "anthropic.claude-3-7-sonnet", "reasoning": True, "max_tokens": 60_000}
    await bedrock.call("hi", model=model, thinking="high")
    assert bedrock.last_body()["anthropic_beta"] == ["interleaved-thinking-2025-05-14"]
    assert "anthropic-beta" not in str(bedrock.server.requests()[-1]["headers"]).lower()
    model_id, body, rest = invocation(
        {"model": "m", "stream": True, "max_tokens": 1}, {"Anthropic-Beta": "a, b", "x-y": "1"}
    )
    assert (model_id, rest, body["anthropic_beta"]) == ("m", {"x-y": "1"}, ["a", "b"])


@pytest.mark.parametrize(
    ("status", "because", "reason"),
    [
        (429, "ThrottlingException: Too many requests", "rate_limit"),
        (429, "ModelNotReadyException: The model is not ready", "overloaded"),
        (400, "ValidationException: Input is too long for requested model.", "context_overflow"),
        (400, "ValidationException: Malformed input request", "format"),
        (400, "ValidationException: The provided model identifier is invalid.", "model_not_found"),
        (400, "ServiceQuotaExceededException: Your quota exceeded the limit", "rate_limit"),
        (403, "AccessDeniedException: You don't have access to the model", "auth"),
        (403, "ExpiredTokenException: The security token is expired", "auth"),
        (404, "ResourceNotFoundException: Could not find the model", "model_not_found"),
        (408, "ModelTimeoutException: Took too long", "timeout"),
        (424, "ModelErrorException: The model failed", "timeout"),
        (500, "InternalServerException: Oops", "timeout"),
        (503, "ServiceUnavailableException: Try again", "timeout"),
    ],
)
async def test_refusals_are_classified(
    bedrock: Harness, status: int, because: str, reason: str
) -> None:
    outcome = await bedrock.call(f"[[status:{status}]] [[because:{because}]]")
    assert (outcome.error.reason, outcome.error.http_status) == (reason, status)
    assert because.partition(": ")[2] in outcome.error.message


async def test_overflow(bedrock: Harness) -> None:
    assert (await bedrock.call("[[overflow]]")).error.reason == "context_overflow"


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("throttled", "rate_limit"),
        ("stream_error", "timeout"),
        ("internal", "timeout"),
        ("timed_out", "timeout"),
        ("invalid", "context_overflow"),
        ("not_ready", "overloaded"),
        ("damaged", "timeout"),
    ],
)
async def test_exceptions_in_mid_stream(bedrock: Harness, case: str, reason: str) -> None:
    outcome = await bedrock.call(f"[[odd:{case}]]")
    assert outcome.error.reason == reason
    assert outcome.message.text == "ok "


async def test_a_wrong_secret_is_refused_and_never_shown(bedrock: Harness) -> None:
    wrong = signed_by(bedrock, replace(PAIR, secret_key="not/the/secret"))
    outcome = await wrong.call("hi")
    assert outcome.error.reason == "auth"
    assert "signature does not match" in outcome.error.message
    assert "not/the/secret" not in outcome.error.message + repr(wrong.model)


async def test_a_bearer_token(bedrock: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    token = AwsCredentials(bearer="bedrock-api-key-x", region="us-west-2")
    assert (await signed_by(bedrock, token).call("hi")).done.text == "ok"
    # The token of the environment must not replace the pair that was chosen.
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "none")
    other = signed_by(bedrock, replace(PAIR, region="us-west-2"))
    assert (await other.call("hi")).done.text == "ok"


async def test_half_a_pair_is_an_auth_failure(bedrock: Harness) -> None:
    half = signed_by(bedrock, AwsCredentials(access_key="AKIASCRIPTED", region="us-east-1"))
    outcome = await half.call("hi")
    assert outcome.error.reason == "auth"
    assert "secret key" in outcome.error.message


def test_credentials_travel_as_one_text() -> None:
    facts = {"accessKeyId": "AK", "sessionToken": "st", "region": "eu-west-1"}
    packed = credentials_pack(facts, "s3cret")
    found = credentials_unpack(packed)
    assert found == AwsCredentials("AK", "s3cret", "st", region="eu-west-1")
    assert "s3cret" not in repr(found)
    assert credentials_unpack("token").bearer == "token"
    assert credentials_unpack("{}") == AwsCredentials()


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://bedrock-runtime.eu-west-3.amazonaws.com", "eu-west-3"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("https://vpce-1.bedrock-runtime.us-east-2.vpce.amazonaws.com", "us-east-2"),
        ("http://127.0.0.1:8080", ""),
    ],
)
def test_region_of_an_address(url: str, region: str) -> None:
    assert region_of(url) == region


async def test_frames_in_pieces_of_any_size() -> None:
    data = chunk(b'{"type":"ping"}') + exception("throttlingException", "slow down")

    class Pieces:
        def __init__(self, size: int) -> None:
            self.size = size

        async def aiter_bytes(self):  # type: ignore[no-untyped-def]
            for at in range(0, len(data), self.size):
                yield data[at : at + self.size]

        async def aclose(self) -> None:
            return None

    for size in (1, 7, 64, len(data)):
        response = EventStreamResponse(Pieces(size))
        text = b"".join([piece async for piece in response.aiter_bytes()])
        assert text.startswith(b'data: {"type":"ping"}\n\nevent: error\ndata: ')
        assert b"throttlingException" in text


def test_the_vendors_own_clients_accept_the_scripted_server(model_server: ModelServer) -> None:
    sdk = AnthropicBedrock(
        aws_region="eu-west-1",
        base_url=model_server.url,
        max_retries=0,
        aws_access_key="AKIASCRIPTED",
        aws_secret_key="scripted/secret",
    )
    question = {"role": "user", "content": "[[echo:read by the SDK]]"}
    with sdk.messages.stream(model=MODEL, max_tokens=10, messages=[question]) as stream:  # type: ignore[list-item]
        assert stream.get_final_text() == "read by the SDK"
    client = boto3.client(
        "bedrock-runtime",
        region_name="eu-west-1",
        endpoint_url=model_server.url,
        aws_access_key_id="AKIASCRIPTED",
        aws_secret_access_key="scripted/secret",
    )
    body = json.dumps({"max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]})
    answer = client.invoke_model_with_response_stream(modelId=MODEL, body=body)
    kinds = [json.loads(event["chunk"]["bytes"])["type"] for event in answer["body"]]
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    body = json.dumps({"messages": [{"role": "user", "content": "[[odd:throttled]]"}]})
    answer = client.invoke_model_with_response_stream(modelId=MODEL, body=body)
    with pytest.raises(EventStreamError, match="throttlingException"):
        list(answer["body"])
    refused = json.dumps({"messages": [{"role": "user", "content": "[[overflow]]"}]})
    with pytest.raises(client.exceptions.ValidationException, match="too long"):
        client.invoke_model_with_response_stream(modelId=MODEL, body=refused)


async def test_calls_side_by_side(bedrock: Harness) -> None:
    outcomes = await asyncio.gather(*(bedrock.call(f"[[echo:{n}]]") for n in range(8)))
    assert [outcome.done.text for outcome in outcomes] == [str(n) for n in range(8)]
    assert isinstance(bedrock.request("x"), ModelRequest)
