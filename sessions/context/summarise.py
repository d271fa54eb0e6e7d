"""Asking a model for the summary of old history, portion by portion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.config.sections.context_schema import Compaction
from agents.context.serialise import conversation_lines
from agents.context.summary_extras import SUMMARY_CHARS, FileLists, summary_complete
from agents.context.summary_prompt import (
    SYSTEM,
    SummaryStyle,
    portions,
    prefix_request,
    summary_request,
)
from agents.core.answer import Answer
from agents.core.errors import ProviderError
from agents.core.messages import UserMessage
from agents.core.model import ModelInfo, ModelRequest
from sessions.context.plan import Plan

AskFn = Callable[[ModelRequest], Awaitable[Answer]]

# runtime.md 3.6: the share of the summarising model's window that one portion takes.
PORTION_SHARE = 0.4
# More calls than this would outlast the time limit; then every message is shortened instead.
_PORTIONS = 24
# Shares of the window for the answer, and its bounds in tokens.
_ANSWER_SHARE, _ANSWER_TOKENS, _THINKING_TOKENS = 0.2, 4_096, 8_192
_WORDS_PER_TOKEN = 0.6
# How often portions are halved because the service finds them too long.
_HALVINGS = 3


class SummaryFailed(Exception):
    """No summary came about. `reason` is a code of runtime.md 3.6."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


@dataclass(frozen=True, slots=True)
class Summariser:
    """Makes summaries with `model`, whose window has `window` tokens."""

    ask: AskFn
    model: ModelInfo
    window: int
    settings: Compaction
    instructions: str = ""

    async def summary(self, plan: Plan, *, previous: str, files: FileLists) -> str:
        """The whole summary for a plan, the previous one merged into it.

        Raises SummaryFailed. Nothing is stored.
        """
        early = await self._merged(plan, previous)
        beginning = await self._beginning(plan)
        return summary_complete(
            early,
            beginning=beginning,
            request=plan.request,
            messages=plan.removed,
            files=files,
            recent_turns=self.settings.recent_turns_preserve if self._thorough else 0,
            with_identifiers=self.settings.identifier_policy == "strict",
        )

    @property
    def _thorough(self) -> bool:
        return self.settings.mode == "safeguard"

    @property
    def _style(self) -> SummaryStyle:
        return SummaryStyle(
            thorough=self._thorough,
            identifiers=self.settings.identifier_policy,
            identifier_instructions=self.settings.identifier_instructions,
            instructions=self.instructions,
        )

    @property
    def _answer_tokens(self) -> int:
        return max(256, min(int(self.window * _ANSWER_SHARE), _ANSWER_TOKENS))

    async def _merged(self, plan: Plan, previous: str) -> str:
        """The earlier summary, brought up to date with one portion after the other."""
        summary = previous[:SUMMARY_CHARS]
        lines = conversation_lines(plan.early)
        words = int(self._answer_tokens * _WORDS_PER_TOKEN)
        share = PORTION_SHARE
        for halving in range(_HALVINGS + 1):
            tokens = max(400, int(self.window * share / plan.scale))
            try:
                return await self._through(
                    portions(lines, tokens=tokens, most=_PORTIONS), summary, words
                )
            except _TooLong as error:
                if halving == _HALVINGS:
                    raise SummaryFailed("summary_failed", str(error)) from None
                share /= 2
        return summary

    async def _through(self, parts: Sequence[Sequence[str]], summary: str, words: int) -> str:
        for part in parts:
            asked = summary_request(part, style=self._style, previous=summary, words=words)
            summary = await self._text(asked)
        return summary

    async def _beginning(self, plan: Plan) -> str:
        """The beginning of the turn that goes on, all of it in one request."""
        if not plan.beginning:
            return ""
        lines = conversation_lines(plan.beginning)
        share = PORTION_SHARE
        for _halving in range(_HALVINGS + 1):
            tokens = max(400, int(self.window * share / plan.scale))
            part = [line for found in portions(lines, tokens=tokens, most=1) for line in found]
            try:
                return await self._text(prefix_request(part, style=self._style))
            except _TooLong:
                share /= 2
        raise SummaryFailed(
            "summary_failed", "The service refused even short portions as too long."
        )

    async def _text(self, asked: str) -> str:
        request = ModelRequest(
            model=self.model,
            messages=(UserMessage(asked),),
            system=SYSTEM,
            max_tokens=self._max_tokens(),
        )
        answer = await self.ask(request)
        if answer.error is not None:
            raise _failure(answer.error)
        text = answer.message.text.strip()
        if not text:
            raise SummaryFailed("summary_failed", "The model answered without a summary.")
        return text[:SUMMARY_CHARS]

    def _max_tokens(self) -> int:
        # A model that thinks first needs room for that too.
        more = _THINKING_TOKENS if self.model.reasoning else 0
        return min(self.model.max_tokens, self._answer_tokens + min(more, self.window // 4))


class _TooLong(Exception):
    """The service found the portion too long."""


def _failure(error: ProviderError) -> Exception:
    if error.reason == "context_overflow":
        return _TooLong(error.message)
    status = error.http_status or 0
    reason = "summary_failed"
    if error.reason in ("timeout", "aborted"):
        reason = error.reason
    elif status >= 400:
        reason = "provider_error_5xx" if status >= 500 else "provider_error_4xx"
    return SummaryFailed(reason, error.message)
