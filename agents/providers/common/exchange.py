"""One call of a service from request to final event, the same for every wire format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Protocol

from agents.core.abort import AbortSignal
from agents.core.errors import ProviderError
from agents.core.messages import AssistantBlock, AssistantMessage, StopReason, Usage
from agents.core.model import Done, Failed, ModelEvent, ModelRequest, Start
from agents.providers.common.arguments import MalformedCallError
from agents.providers.common.assembly import call_ends
from agents.providers.common.body_reader import BodyReader
from agents.providers.common.decoder import Decoder
from agents.providers.common.idle import idle_seconds
from agents.providers.common.usage import usage_estimate
from agents.providers.common.watch import WaitAbortedError, WaitSilentError, Watch
from agents.providers.failures import error_from_exception, provider_error

# How long to wait for the end of a body whose end mark came, so that the connection can be reused.
DRAIN_SECONDS = 0.05


class Response(Protocol):
    """What is needed of a vendor library's response."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The body as it arrives."""
        ...

    async def aclose(self) -> None:
        """Frees the connection."""
        ...


class Exchange(ABC):
    """One call. Vendors say how to open it and may ask for a second try."""

    def __init__(self, request: ModelRequest, signal: AbortSignal) -> None:
        self.request = request
        self.signal = signal
        self.decoder = self.new_decoder()

    @abstractmethod
    def new_decoder(self) -> Decoder:
        """A decoder for a fresh answer."""

    def new_reader(self) -> BodyReader:
        """What takes the body apart for the decoder of now."""
        return BodyReader(self.decoder)

    @abstractmethod
    async def open(self) -> Response:
        """Sends the request. Raises what the vendor's library raises."""

    def retry_refused(self, error: ProviderError) -> bool:
        """Whether to send again, changed, after the request was refused. Once at most."""
        return False

    def retry_finished(self) -> bool:
        """Whether to send again, changed, after an answer that lost something. Once at most."""
        return False

    async def events(self) -> AsyncGenerator[ModelEvent, None]:
        """Everything that `ModelClient.stream` promises."""
        async with Watch(self.signal, idle_seconds(self.request.model)) as watch:
            try:
                async with aclosing(self._answer(watch)) as answer:
                    async for event in answer:
                        yield event
                final = self._final()
            except Exception as error:  # noqa: BLE001 - the contract: failures are events
                final = [self._failed(error)]
        for event in final:
            yield event

    async def _answer(self, watch: Watch) -> AsyncGenerator[ModelEvent, None]:
        response = await self._opened(watch)
        yield Start()
        async with aclosing(self._read(watch, response)) as events:
            async for event in events:
                yield event
        if self.retry_finished():
            self.decoder = self.new_decoder()
            async with aclosing(self._read(watch, await self._opened(watch))) as events:
                async for event in events:
                    yield event

    async def _opened(self, watch: Watch) -> Response:
        try:
            return await watch.wait(self.open)
        except (WaitAbortedError, WaitSilentError):
            raise
        except Exception as error:
            failure = error_from_exception(error, self.request.model)
            if not self.retry_refused(failure):
                raise failure from error
        return await watch.wait(self.open)

    async def _read(self, watch: Watch, response: Response) -> AsyncGenerator[ModelEvent, None]:
        reader = self.new_reader()
        try:
            chunks = response.aiter_bytes().__aiter__()
            while (chunk := await self._next_chunk(watch, chunks)) is not None:
                for event in reader.feed(chunk):
                    yield event
            for event in reader.flush():
                yield event
        finally:
            with suppress(Exception):
                await response.aclose()

    async def _next_chunk(self, watch: Watch, chunks: AsyncIterator[bytes]) -> bytes | None:
        """The next piece of the body; None at its end, however it ended.

        A connection that breaks is judged by what had arrived (see `_final`).
        """
        try:
            limit = DRAIN_SECONDS if self.decoder.ended else None
            return await watch.wait(lambda: anext(chunks, None), limit)
        except WaitSilentError:
            if self.decoder.ended:
                return None
            raise
        except WaitAbortedError:
            raise
        except Exception:  # noqa: BLE001 - every library has its own class for a broken connection
            return None

    def _final(self) -> list[ModelEvent]:
        """The end of an answer that was read to its end, or to where the connection broke."""
        decoder, model = self.decoder, self.request.model
        if decoder.failure is not None:
            text, reason = decoder.failure
            raise provider_error(model, text, reason=reason)
        properly = decoder.ended or decoder.stop is not None
        if not properly and decoder.assembly.is_empty:
            raise provider_error(model, "the answer is empty", reason="empty_response")
        try:
            content = decoder.assembly.finish(ended=properly)
        except MalformedCallError as error:
            raise self._malformed(error) from error
        message = self._message(content, self._stop_reason(content, properly=properly))
        return [*call_ends(content), Done(message)]

    def _stop_reason(self, content: tuple[AssistantBlock, ...], *, properly: bool) -> StopReason:
        decoder, model = self.decoder, self.request.model
        if not content and not decoder.stop:
            raise provider_error(model, "the answer is empty", reason="empty_response")
        if not properly and not decoder.assembly.has_calls:
            raise provider_error(model, "the answer broke off before its end", reason="timeout")
        if decoder.stop == "length":
            return "length"
        if decoder.assembly.has_calls:
            return "toolUse"
        if decoder.stop == "toolUse":
            text = "the service announced a tool call and sent none"
            raise provider_error(model, text, reason="empty_response")
        return "stop"

    def _malformed(self, error: MalformedCallError) -> ProviderError:
        model = self.request.model
        if self.decoder.stop == "length":
            text = f"the answer reached its limit of tokens in a tool call: {error}"
            return provider_error(model, text, reason="format")
        # As with every fault of transport, the same request may well succeed.
        return provider_error(model, f"a tool call arrived damaged: {error}", reason="timeout")

    def _failed(self, error: Exception) -> Failed:
        model = self.request.model
        if isinstance(error, WaitAbortedError):
            failure = ProviderError("The run was aborted.", reason="aborted")
        elif isinstance(error, WaitSilentError):
            text = f"nothing came for {idle_seconds(model) or 0:g} seconds"
            failure = provider_error(model, text, reason="timeout")
        else:
            failure = error_from_exception(error, model)
        stop: StopReason = "aborted" if failure.reason == "aborted" else "error"
        return Failed(self._message(self.decoder.assembly.shown(), stop, failure.message), failure)

    def _message(
        self, content: tuple[AssistantBlock, ...], stop: StopReason, error: str | None = None
    ) -> AssistantMessage:
        decoder, model = self.decoder, self.request.model
        usage = decoder.usage
        if usage is None:
            usage = usage_estimate(self.request, content) if content else Usage()
        return AssistantMessage(
            content=content,
            api=model.api,
            provider=model.provider,
            model=model.id,
            usage=usage,
            stop_reason=stop,
            error_message=error,
            response_id=decoder.response_id,
            response_model=decoder.response_model,
        )
