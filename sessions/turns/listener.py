"""Turns what the loop tells into committed rows and live records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from django.utils import timezone

from agents.core.errors import ProviderError
from agents.core.events import (
    LoopEvent,
    MessageEnd,
    MessageUpdate,
    ModelCallStart,
    ToolBatchJudged,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
)
from agents.core.json_codec import message_to_json
from agents.core.messages import AssistantMessage, ToolResultMessage
from agents.core.model import ModelRequest, Restart, TextDelta, ThinkingDelta, ToolSchema
from agents.core.tools import Allow, Deny, Park, Tool, ToolResult
from agents.database import run_db
from agents.pricing.find import price_find
from sessions.approvals.parking import Asked
from sessions.failpoints import failpoint
from sessions.models import Entry, ModelCall, Prompt, ToolCall
from sessions.turns.attempt_records import attempt_commit
from sessions.turns.emitter import Emitter
from sessions.turns.shown import entry_shown
from sessions.turns.turn import Turn
from sessions.turns.writes import batch_commit, results_commit, tool_result_store

_prompts_stored: set[str] = set()


def prompts_forget() -> None:
    """Forgets which prompts are stored: a restored database may lack them."""
    _prompts_stored.clear()


class TurnListener:
    """The loop's listener for one turn. Raises LeaseLostError when the fence was lost.

    An answer that may be the last is held back (`held`), so that it is committed together with the
    end of the run.
    """

    def __init__(self, turn: Turn, emitter: Emitter, tools: Sequence[Tool]) -> None:
        self.turn = turn
        self.emitter = emitter
        self.held: AssistantMessage | None = None
        self.error: ProviderError | None = None
        self.number = turn.model_calls
        self.call: dict[str, Any] | None = None
        # The calls of the newest batch that somebody has to decide on.
        self.parked: list[Asked] = []
        self._request: ModelRequest | None = None
        self._asking = False
        self._fresh_text = True
        self._results: list[ToolResultMessage] = []
        self._denied: set[str] = set()
        self._repeatable = {tool.name: tool.repeatable for tool in tools}

    async def __call__(self, event: LoopEvent) -> None:
        """Takes one event; returns when what must be durable is."""
        match event:
            case MessageUpdate():
                self._update(event)
            case ModelCallStart():
                self._model_call(event.request)
            case MessageEnd():
                await self._message(event)
            case ToolBatchJudged():
                await self._judged(event)
            case ToolExecutionStart():
                self._tool_start(event)
            case ToolExecutionUpdate():
                self._tool_update(event)
            case ToolExecutionEnd():
                await self._tool_end(event)
            case TurnEnd():
                await self._turn_end()
            case _:
                pass

    def _update(self, event: MessageUpdate) -> None:
        piece = event.event
        if isinstance(piece, TextDelta):
            self._first_token()
            if self._fresh_text and (self.turn.texts):
                self.emitter.text("\n\n")
            self._fresh_text = False
            self.emitter.text(piece.delta)
        elif isinstance(piece, ThinkingDelta):
            self._first_token()
            if self.turn.showing.reasoning == "stream":
                self.emitter.thinking(piece.delta)
        elif isinstance(piece, Restart):
            self._fresh_text = True
            text = "\n\n".join(self.turn.texts)
            wires = self.turn.wires
            self.emitter.emit("run.resume", change="open", value=text, text=text, wires=wires)

    def _first_token(self) -> None:
        if self.call is not None and "first_token_at" not in self.call:
            self.call["first_token_at"] = timezone.now()

    def _model_call(self, request: ModelRequest) -> None:
        self.number += 1
        self._asking = True
        self._fresh_text = True
        self.call = {}
        self.request_changed(request)
        failpoint("before_call")

    @property
    def asked_at(self) -> datetime:
        """When the call that is made now was sent."""
        started: datetime = (self.call or {}).get("started_at") or timezone.now()
        return started

    @property
    def open_number(self) -> int:
        """The number of the call that is made now, or next."""
        return self.number if self._asking else self.number + 1

    @property
    def closed_number(self) -> int:
        """The number of the newest call that has ended."""
        return self.open_number - 1

    def request_changed(self, request: ModelRequest) -> None:
        """Notes the request that is about to be sent."""
        self._request = request
        if self.call is not None:
            self.call.update(started_at=timezone.now(), parameters=_parameters(request))
            self.call["context"] = self.turn.sent

    def call_note(self, columns: Mapping[str, Any]) -> None:
        """Adds columns to the row of the call that is made now; they are stored with its end."""
        if self.call is not None:
            self.call.update(columns)

    async def call_advance(self, fields: Mapping[str, Any], attempt: int) -> None:
        """Stores the end of the call that is made now, and goes on to the next number.

        `attempt` is that of the next call. Raises LeaseLostError.
        """
        if fields.get("purpose") == "turn":
            await self._prompt_named()
        number = self.open_number
        fields = {**(self.call or {}), **fields}
        await run_db(attempt_commit, self.turn, number=number, fields=fields, attempt=attempt)
        self._count(fields)
        self.number += 1
        if self.call is not None:
            self.call = {}
            if self._request is not None:
                self.request_changed(self._request)

    def call_withdraw(self) -> None:
        """The next call will not be made: what comes now belongs to none."""
        if self._asking:
            self.number -= 1
            self._asking = False
        self.call = None

    async def _message(self, event: MessageEnd) -> None:
        message = event.message
        if isinstance(message, ToolResultMessage):
            self._results.append(message)
        elif isinstance(message, AssistantMessage):
            self.emitter.flush_text()
            self.held, self.error = message, event.error
            self._asking = False
            if self.call is not None:
                self.call.update(call_outcome(message, event.error, self.turn))
                await self._prompt_named()

    async def _judged(self, event: ToolBatchJudged) -> None:
        now = timezone.now()
        answer, self.held = self.held, None
        call, self.call = self.call, None
        calls = [
            _call_row(one, verdict, self._repeatable.get(one.name, False), now)
            for one, verdict in zip(event.calls, event.verdicts, strict=True)
        ]
        self.parked = [
            (one, verdict)
            for one, verdict in zip(event.calls, event.verdicts, strict=True)
            if isinstance(verdict, Park)
        ]
        if self.parked:
            # None of them starts before somebody has decided.
            for row in calls:
                row.update(state=ToolCall.State.PENDING, started_at=None)
        self._denied = {
            one.id
            for one, verdict in zip(event.calls, event.verdicts, strict=True)
            if isinstance(verdict, Deny)
        }
        added = await run_db(
            batch_commit, self.turn, answer=answer, calls=calls, call=call, number=self.number
        )
        if answer is not None:
            self.answer_stored(answer, call or {})
        self.show(added)

    def answer_stored(self, answer: AssistantMessage, call: dict[str, Any]) -> None:
        """Notes an answer that was just committed before the end of the run."""
        if answer.text:
            self.turn.texts.append(answer.text)
        self._count(call)

    def _count(self, call: Mapping[str, Any]) -> None:
        for name, value in call.items():
            if name == "cost" or name.endswith("_tokens"):
                self.turn.totals[name] = self.turn.totals.get(name, 0) + value

    async def _prompt_named(self) -> None:
        """Adds the prompt's digest to the call, and stores a prompt seen for the first time."""
        if self._request is None or self.call is None:
            return
        digest, tools = prompt_digest(self._request)
        if digest not in _prompts_stored:
            await run_db(_prompt_store, digest, self._request.system, tools)
            _prompts_stored.add(digest)
        self.call["prompt_id"] = digest

    def _tool_start(self, event: ToolExecutionStart) -> None:
        call = event.call
        self.emitter.emit("tool.start", id=call.id, name=call.name, args=dict(call.arguments))
        failpoint("tool_started")

    def _tool_update(self, event: ToolExecutionUpdate) -> None:
        partial = _result_json(event.partial)
        self.emitter.emit(
            "tool.update",
            id=event.call.id,
            name=event.call.name,
            partial=partial,
            verbose=self.turn.showing.verbose,
        )

    async def _tool_end(self, event: ToolExecutionEnd) -> None:
        call, result = event.call, event.result
        body = _result_json(result)
        if call.id not in self.turn.answers:
            changes = _result_row(result, body)
            if call.id in self._denied:
                changes["state"] = ToolCall.State.DENIED
            await run_db(tool_result_store, self.turn, call_id=call.id, changes=changes)
        self.emitter.emit(
            "tool.end",
            id=call.id,
            name=call.name,
            isError=result.is_error,
            result=body,
            verbose=self.turn.showing.verbose,
        )
        if call.name == "update_plan" and not result.is_error:
            plan = result.details.get("plan")
            explanation = result.details.get("explanation", "")
            self.emitter.emit("plan", steps=plan, explanation=explanation)

    async def _turn_end(self) -> None:
        results, self._results = self._results, []
        # They were for this batch: another one may use the same call ids again.
        self.turn.answers = {}
        if results:
            self.show(await run_db(results_commit, self.turn, results, self.number + 1))

    def show(self, entries: Sequence[Entry]) -> None:
        """Shows entries that were just committed."""
        for entry in entries:
            self.emitter.emit("entry", entry=entry_shown(self.turn, entry))


def call_outcome(
    message: AssistantMessage, error: ProviderError | None, turn: Turn
) -> dict[str, Any]:
    """The columns of a model call that its answer decides."""
    usage = message.usage
    states = ModelCall.State
    return {
        "state": states.DONE if error is None else states.FAILED,
        "stop_reason": message.stop_reason,
        "error_kind": error.reason if error else "",
        "error_message": error.message if error else "",
        "http_status": error.http_status if error else None,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "usage_estimated": usage.estimated,
        "cost": usage.cost.total,
        "cost_known": bool(turn.model and price_find(turn.model).known),
        "ended_at": timezone.now(),
    }


_digests: dict[tuple[str, int], tuple[str, list[dict[str, Any]], Sequence[ToolSchema]]] = {}


def prompt_digest(request: ModelRequest) -> tuple[str, list[dict[str, Any]]]:
    """The SHA-256 of a request's prompt and tools, and the tools as JSON."""
    # Both parts are cached upstream, so the same objects come again and again.
    key = (request.system, id(request.tools))
    known = _digests.get(key)
    if known is None:
        tools = [
            {"name": t.name, "description": t.description, "parameters": dict(t.parameters)}
            for t in request.tools
        ]
        digest = hashlib.sha256(orjson.dumps([request.system, tools])).hexdigest()
        if len(_digests) > 256:
            _digests.clear()
        # The tools are kept too, or their id might come to name others.
        known = _digests[key] = (digest, tools, request.tools)
    return known[0], known[1]


def _prompt_store(digest: str, system: str, tools: list[dict[str, Any]]) -> None:
    Prompt.objects.get_or_create(digest=digest, defaults={"system": system, "tools": tools})


def _parameters(request: ModelRequest) -> dict[str, Any]:
    chosen = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "thinking": request.thinking,
        "base_url": request.model.base_url,
    }
    return {name: value for name, value in chosen.items() if value not in (None, "", "off")}


def _call_row(call: Any, verdict: Any, repeatable: bool, now: datetime) -> dict[str, Any]:
    allowed = isinstance(verdict, Allow)
    return {
        "call_id": call.id,
        "name": call.name[:120],
        "arguments": message_to_json(AssistantMessage(content=(call,)))["content"][0]["arguments"],
        "repeatable": repeatable,
        "verdict": "allow" if allowed else "deny" if isinstance(verdict, Deny) else "park",
        "verdict_reason": verdict.reason[:500] if isinstance(verdict, Deny) else "",
        "state": ToolCall.State.STARTED if allowed else ToolCall.State.PENDING,
        "started_at": now if allowed else None,
    }


def _result_json(result: ToolResult) -> dict[str, Any]:
    message = ToolResultMessage("", "", result.content, result.is_error, timestamp=0)
    body = message_to_json(message)
    return {"content": body["content"], "isError": result.is_error}


def _result_row(result: ToolResult, body: dict[str, Any]) -> dict[str, Any]:
    states = ToolCall.State
    return {
        "state": states.FAILED if result.is_error else states.DONE,
        "result": body,
        "details": orjson.loads(orjson.dumps(dict(result.details), default=str)),
        "ended_at": timezone.now(),
    }
