"""/v1: agents as models of an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.csrf import csrf_exempt

from agents.core.principal import READ, WRITE
from agents.database import run_db
from channels_app.gateway.hub.hub import hub_current
from channels_app.openai_api.bearer import bearer_principal
from channels_app.openai_api.completion import order_answer, order_make, order_stream
from channels_app.openai_api.completion_request import completion_request
from channels_app.openai_api.errors import (
    ApiError,
    error_answer,
    error_from,
    json_answer,
    run_failed,
)
from channels_app.openai_api.session_choice import model_names

View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]


def api_view(verb: str) -> Callable[[View], View]:
    """A view that takes one verb, brings its own sign-in and answers errors as this API does."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @login_not_required
        @wraps(view)
        async def answer(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            if request.method != verb:
                refusal = HttpResponse("Method Not Allowed", status=405, content_type="text/plain")
                refusal["Allow"] = verb
                return refusal
            try:
                return await view(request, **parts)
            except Exception as error:  # noqa: BLE001 - every failure has this API's shape
                return error_answer(error_from(error))

        return answer

    return decorate


@api_view("GET")
async def models(request: HttpRequest) -> HttpResponseBase:
    """The agents, each as a model."""
    await bearer_principal(request, scope=READ)
    names = await run_db(model_names)
    return json_answer({"object": "list", "data": [_model(name) for name in names]})


@api_view("GET")
async def model(request: HttpRequest, name: str) -> HttpResponseBase:
    """One agent as a model."""
    await bearer_principal(request, scope=READ)
    if name not in await run_db(model_names):
        text = f"The model `{name}` does not exist."
        raise ApiError(404, text, param="model", code="model_not_found")
    return json_answer(_model(name))


@api_view("POST")
async def chat_completions(request: HttpRequest) -> HttpResponseBase:
    """Sends the newest message to an agent and answers with what it says."""
    principal = await bearer_principal(request, scope=WRITE)
    try:
        body = completion_request(request.body)
    except RequestDataTooBig:
        raise ApiError(413, "The body is larger than this gateway takes.") from None
    headers = {key.lower(): value for key, value in request.headers.items()}
    order = await order_make(request=body, headers=headers, principal=principal)
    hub = hub_current()
    await hub.start()
    if body.stream:
        return await _streamed(order_stream(order, hub))
    ended = await order_answer(order, hub)
    if ended.state == "error":
        raise run_failed(ended)
    return json_answer(order.completion.whole(ended))


async def _streamed(parts: AsyncGenerator[bytes, None]) -> StreamingHttpResponse:
    # The first part is fetched here: errors before it are plain answers, and a generator that has
    # begun is closed by the event loop even when the caller is gone before the second part.
    first = await anext(parts)

    async def content() -> AsyncGenerator[bytes, None]:
        try:
            yield first
            async for part in parts:
                yield part
        finally:
            await parts.aclose()

    response = StreamingHttpResponse(content(), content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    # Proxies that gather answers would hold the stream back.
    response["X-Accel-Buffering"] = "no"
    return response


def _model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "openclaw",
        "permission": [],
    }
