"""Which client speaks which API, and the clients of one event loop."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage
from agents.core.model import Failed, ModelClient, ModelEvent, ModelInfo, ModelRequest
from agents.core.registry import Registry

ClientFactory = Callable[[ModelInfo], ModelClient]

APIS: Registry[ClientFactory] = Registry("model API")
APIS.register(
    "openai-completions", "agents.providers.openai_completions.client:OpenAICompletionsClient"
)
APIS.register(
    "anthropic-messages", "agents.providers.anthropic_messages.client:AnthropicMessagesClient"
)
APIS.register("openai-responses", "agents.providers.openai_responses.client:OpenAIResponsesClient")
APIS.register("bedrock-converse-stream", "agents.providers.bedrock.client:BedrockClient")
APIS.register("github-copilot", "agents.providers.github_copilot.client:CopilotClient")
APIS.register(
    "google-generative-ai", "agents.providers.google_generative.client:GoogleGenerativeClient"
)
APIS.register("ollama", "agents.providers.ollama.client:OllamaClient")
APIS.register("rehearsal", "agents.providers.rehearsal.client:RehearsalClient")

# Their keys change every half an hour; one client takes them all, each from its request.
_CHANGING_KEYS = frozenset({"github-copilot"})


# Tokens that change leave a client behind each time; so many are kept.
_MOST_CLIENTS = 64


@dataclass(slots=True)
class _Held:
    """A client, how many calls it answers now, and whether it closes after them."""

    client: ModelClient
    calls: int = 0
    is_retired: bool = False


class ClientPool:
    """One client per (API, base URL, key) for one event loop; made when first needed.

    `stream` is a StreamFn. The pool belongs to the loop that first uses it, because connections
    do: used on another one it raises RuntimeError. Beyond 64 clients the one that was not used for
    the longest time is closed, as soon as its last call has ended.
    """

    def __init__(self) -> None:
        self._clients: OrderedDict[tuple[str, str, str], _Held] = OrderedDict()
        self._making = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def stream(
        self, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[ModelEvent, None]:
        """Calls the request's model. Never raises; ends with exactly one Done or Failed."""
        try:
            held = await self._held(request.model)
        except ProviderError as error:
            yield _failed(request.model, error)
            return
        held.calls += 1
        try:
            async for event in held.client.stream(request, signal):
                yield event
        finally:
            held.calls -= 1
            if held.is_retired and not held.calls:
                await held.client.aclose()

    async def client(self, model: ModelInfo) -> ModelClient:
        """The client of `model`, made on first use. Raises ProviderError if that cannot be.

        Making one imports the vendor's library and reads certificates (up to a second), so it
        happens in a thread: other turns on this loop go on.
        """
        return (await self._held(model)).client

    async def _held(self, model: ModelInfo) -> _Held:
        self._stay_on_loop()
        key = (model.api, model.base_url, "" if model.api in _CHANGING_KEYS else model.api_key)
        if (known := self._clients.get(key)) is not None:
            self._clients.move_to_end(key)
            return known
        async with self._making:
            if key not in self._clients:
                self._clients[key] = _Held(await asyncio.to_thread(_make, model))
                await self._retire()
            return self._clients[key]

    async def _retire(self) -> None:
        while len(self._clients) > _MOST_CLIENTS:
            _, held = self._clients.popitem(last=False)
            held.is_retired = True
            if not held.calls:
                await held.client.aclose()

    def _stay_on_loop(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise RuntimeError("this ClientPool belongs to another event loop; make one for each")
        self._loop = loop

    async def aclose(self) -> None:
        """Closes all connections. Never raises; the pool may be used again afterwards."""
        clients = list(self._clients.values())
        self._clients.clear()
        for held in clients:
            await held.client.aclose()


def _make(model: ModelInfo) -> ModelClient:
    if model.api not in APIS:
        known = ", ".join(APIS.names())
        text = f'{model.ref}: unknown api "{model.api}"; set the provider\'s api to one of: {known}'
        raise ProviderError(text, reason="format")
    try:
        return APIS.get(model.api)(model)
    except Exception as error:
        text = f"{model.ref}: the client cannot be made: {error}"
        raise ProviderError(text, reason="format") from error


def _failed(model: ModelInfo, error: ProviderError) -> Failed:
    message = AssistantMessage(
        content=(),
        api=model.api,
        provider=model.provider,
        model=model.id,
        stop_reason="error",
        error_message=error.message,
    )
    return Failed(message, error)
