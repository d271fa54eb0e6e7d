"""Claude on Bedrock through the `anthropic` library's own client, which signs the requests.

The API is InvokeModelWithResponseStream: a Messages request with the model in the path, and
Messages events in AWS's frames. So request and answer are those of `anthropic_messages`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.model import ModelEvent, ModelInfo, ModelRequest
from agents.providers.anthropic_messages.client import MessageExchange
from agents.providers.bedrock.credentials import (
    DEFAULT_REGION,
    AwsCredentials,
    credentials_unpack,
    region_of,
)
from agents.providers.bedrock.errors import bedrock_error
from agents.providers.bedrock.event_stream import EventStreamResponse
from agents.providers.common.body import json_encode
from agents.providers.common.exchange import Response
from agents.providers.common.http import http_client

if TYPE_CHECKING:
    from anthropic import AsyncAnthropicBedrock

# Bedrock's own version of the Messages format.
ANTHROPIC_VERSION = "bedrock-2023-05-31"
# Without an explicit key the library would look into the environment, past the credential.
_NO_KEY = "none"


class BedrockClient:
    """A client for one region, address and credential. Retries are off."""

    def __init__(self, model: ModelInfo) -> None:
        import anthropic

        self._fault: ProviderError | None = None
        credentials = AwsCredentials(region=DEFAULT_REGION)
        try:
            credentials = credentials_unpack(model.api_key)
            region = region_for(credentials, model.base_url)
        except Exception as error:  # noqa: BLE001 - botocore has a class for each odd file
            self._fault, region = bedrock_error(error, model), DEFAULT_REGION
        self.sdk: AsyncAnthropicBedrock = anthropic.AsyncAnthropicBedrock(
            api_key=_NO_KEY,
            aws_region=region,
            base_url=model.base_url or f"https://bedrock-runtime.{region}.amazonaws.com",
            max_retries=0,
            http_client=http_client(anthropic),
        )
        self._sign_as(credentials)
        self._stream_cls: Any = anthropic.AsyncStream[object]

    def _sign_as(self, credentials: AwsCredentials) -> None:
        self.sdk.api_key = credentials.bearer or None
        self.sdk.aws_access_key = credentials.access_key or None
        self.sdk.aws_secret_key = credentials.secret_key or None
        self.sdk.aws_session_token = credentials.session_token or None
        self.sdk.aws_profile = credentials.profile or None

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[ModelEvent]:
        """Calls the model. Never raises; ends with exactly one Done or Failed."""
        return BedrockExchange(self, request, signal).events()

    async def post(self, body: dict[str, Any], headers: dict[str, str]) -> Response:
        """Sends a Messages body. Raises ProviderError, and errors of anthropic and botocore."""
        if self._fault is not None:
            raise self._fault
        model, sent, rest = invocation(body, headers)
        stream = await self.sdk.post(
            f"/model/{quote(model, safe=':')}/invoke-with-response-stream",
            cast_to=object,
            content=json_encode(sent),
            options={"headers": {"accept": "application/vnd.amazon.eventstream", **rest}},
            stream=True,
            stream_cls=self._stream_cls,
        )
        return EventStreamResponse(stream.response)

    async def aclose(self) -> None:
        """Closes connections. Never raises."""
        with suppress(Exception):
            await self.sdk.close()


class BedrockExchange(MessageExchange):
    """One call, as with the Messages format."""

    async def open(self) -> Response:
        """Sends the request. Raises ProviderError."""
        try:
            return await super().open()
        except Exception as error:
            failure = bedrock_error(error, self.request.model)
            if failure.reason == "auth":
                chain_forget()
            raise failure from error


def invocation(
    body: dict[str, Any], headers: dict[str, str]
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """(model, body, headers) of an invocation: the model stands in the path, betas in the body."""
    sent = {name: value for name, value in body.items() if name not in ("model", "stream")}
    rest = {name: value for name, value in headers.items() if name.lower() != "anthropic-beta"}
    betas = next((value for name, value in headers.items() if name not in rest), "")
    if betas:
        sent["anthropic_beta"] = [beta.strip() for beta in betas.split(",")]
    return str(body["model"]), {"anthropic_version": ANTHROPIC_VERSION, **sent}, rest


def region_for(credentials: AwsCredentials, base_url: str) -> str:
    """The region: as stated, as the address says, of the environment, of the profile."""
    stated = credentials.region or region_of(base_url)
    stated = stated or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
    if stated:
        return stated
    import boto3

    session = boto3.Session(profile_name=credentials.profile or None)
    return session.region_name or DEFAULT_REGION


def chain_forget() -> None:
    """Lets AWS's chain be asked anew: files and profiles may have been renewed meanwhile.

    The library remembers a session for each set of credentials as long as the process lives.
    """
    with suppress(ImportError, AttributeError):
        from anthropic.lib.aws import _auth

        sessions: Any = _auth._get_session
        sessions.cache_clear()
