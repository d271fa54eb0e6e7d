"""Claude on Bedrock as the server speaks it: Messages events in AWS's frames, signed requests.

A request is refused unless its signature is right, by botocore's own computation. The server
knows these keys, and takes any bearer token. `/__aws/credentials` is a container's endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from tests.model_server import messages
from tests.model_server.answer import Answer
from tests.model_server.aws_frames import exception, frames_of
from tests.model_server.odd import Odd, OddCase
from tests.model_server.odd_messages import event

name = "bedrock"
read = messages.read
whole = messages.whole
content_type = "application/vnd.amazon.eventstream"
path = "/model/{model}/invoke-with-response-stream"

# Access key id → (secret, session token).
KEYS = {
    "AKIASCRIPTED": ("scripted/secret", ""),
    "ASIACONTAINER": ("container/secret", "container-token"),
}
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>\w+)/(?P<day>\d{8})/(?P<region>[\w-]+)/bedrock"
    r"/aws4_request, SignedHeaders=(?P<headers>[\w;-]+), Signature=(?P<signature>[0-9a-f]{64})"
)
_KINDS = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}
_NAMED = re.compile(r"(\w+Exception): ")


def error(status: int, text: str) -> dict[str, Any]:
    """The body of an HTTP error; `[[because:NAMEException: TEXT]]` names its kind."""
    return {"message": _NAMED.sub("", text, count=1)}


def error_headers(status: int, text: str) -> dict[str, str]:
    """The header that tells the kind of an error."""
    named = _NAMED.match(text)
    kind = named.group(1) if named else _KINDS.get(status, "InternalServerException")
    return {"x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/com.amazon.bedrock/"}


def overflow() -> dict[str, Any]:
    """The body of the "context too long" error."""
    return {"message": "Input is too long for requested model."}


def prepare(request: web.Request, body: dict[str, Any]) -> dict[str, Any]:
    """The body with what AWS has in the path."""
    return {**body, "model": unquote(request.match_info["model"]), "stream": True}


def stream(answer: Answer, body: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The answer as (kind, frame)."""
    for kind, sent in messages.stream(answer, body):
        yield kind, b"".join(frames_of([sent]))


def _framed(case: OddCase) -> OddCase:
    def framed(calls: Any) -> Odd:
        found = case(calls)
        # A web page or an answer in one piece comes from before AWS, and so without frames.
        if found.content_type != "text/event-stream" or b"".join(found.frames).startswith(b"<"):
            return found
        return Odd(list(frames_of(found.frames)), content_type, found.cut)

    return framed


def _begun() -> list[bytes]:
    start = event("message_start", message={"id": "m", "usage": {"input_tokens": 3}})
    block = {"type": "text", "text": "ok "}
    return [start, event("content_block_start", index=0, content_block=block)]


def _exception(kind: str, text: str) -> OddCase:
    return lambda calls: Odd([*frames_of(_begun()), exception(kind, text)], content_type)


def _damaged(calls: Any) -> Odd:
    frames = list(frames_of(_begun()))
    return Odd([*frames, frames[0][:-1] + b"\0"], content_type)


odd: dict[str, OddCase] = {
    **{case: _framed(make) for case, make in messages.odd.items()},
    "throttled": _exception("throttlingException", "Too many requests, please wait."),
    "stream_error": _exception("modelStreamErrorException", "The model broke off."),
    "internal": _exception("internalServerException", "Internal error."),
    "invalid": _exception("validationException", "Input is too long for requested model."),
    "not_ready": _exception("modelNotReadyException", "The model is loading."),
    "timed_out": _exception("modelTimeoutException", "The model took too long."),
    "damaged": _damaged,
}


async def refusal(request: web.Request) -> web.Response | None:
    """The answer to a request that nobody signed, or signed wrongly; None when all is well."""
    given = request.headers.get("authorization", "")
    if given.startswith("Bearer ") and given != "Bearer none":
        return None
    found = _AUTHORIZATION.fullmatch(given)
    if found is None:
        return _refused("IncompleteSignatureException", f"not a signature: {given[:20]}")
    if found["key"] not in KEYS:
        return _refused("UnrecognizedClientException", "The security token is invalid.")
    if _signature(request, await request.read(), found) != found["signature"]:
        return _refused("InvalidSignatureException", "The signature does not match.")
    return None


def _refused(kind: str, text: str) -> web.Response:
    headers = {"x-amzn-errortype": kind}
    return web.json_response({"message": text}, status=403, headers=headers)


def _signature(request: web.Request, body: bytes, given: re.Match[str]) -> str:
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    secret, token = KEYS[given["key"]]
    signed = {name: request.headers.get(name, "") for name in given["headers"].split(";")}
    if token and request.headers.get("x-amz-security-token") != token:
        return "no session token"
    url = f"http://{request.host}{request.raw_path}"
    copy = AWSRequest(method=request.method, url=url, headers=signed, data=body)
    copy.context["timestamp"] = request.headers["x-amz-date"]
    signer: Any = SigV4Auth(Credentials(given["key"], secret), "bedrock", given["region"])
    text = signer.string_to_sign(copy, signer.canonical_request(copy))
    return str(signer.signature(text, copy))


async def credentials(request: web.Request) -> web.Response:
    """What a container asks for its role's credentials."""
    if request.headers.get("authorization") != "container-permit":
        return web.json_response({"message": "who are you?"}, status=401)
    ends = datetime.now(UTC) + timedelta(hours=6)
    secret, token = KEYS["ASIACONTAINER"]
    return web.json_response(
        {
            "AccessKeyId": "ASIACONTAINER",
            "SecretAccessKey": secret,
            "Token": token,
            "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )
