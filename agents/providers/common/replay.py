"""The transcript made fit to be sent to a model that may not be the one that wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo
from agents.core.transcript import repair_pairs
from agents.providers.common.call_ids import CallIdRule, CallIds
from agents.providers.common.images import TOOL_IMAGE_NOTE, USER_IMAGE_NOTE, images_replace

# Services that insist on a first word by the user get this one.
_OPENING = UserMessage("(The conversation continues.)", timestamp=0)


def replay(
    messages: Sequence[Message],
    model: ModelInfo,
    *,
    ids: CallIdRule,
    drop_thinking: bool = False,
) -> list[Message]:
    """What to send for `messages`: a list that starts with the user and ends without a prefill.

    Every call has its result (see `repair_pairs`, which also decides what is left of failed
    answers), reasoning and signatures of other models are turned into plain text or dropped, ids
    fit `ids`, and images are replaced by a note when the model cannot see. `drop_thinking` leaves
    out all reasoning. Never changes its input.
    """
    prepared = _Replay(model, ids, drop_thinking).run(repair_pairs(messages))
    while prepared and _is_prefill(prepared[-1]):
        prepared.pop()
    if prepared and not isinstance(prepared[0], UserMessage):
        prepared.insert(0, _OPENING)
    return prepared


def _is_prefill(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.tool_calls


class _Replay:
    def __init__(self, model: ModelInfo, ids: CallIdRule, drop_thinking: bool) -> None:
        self.model = model
        self.ids = CallIds(ids)
        self.drop_thinking = drop_thinking
        self.sees = "image" in model.input
        self.renamed: dict[str, list[str]] = {}

    def run(self, messages: Sequence[Message]) -> list[Message]:
        prepared: list[Message] = []
        for message in messages:
            if isinstance(message, AssistantMessage):
                fitted = self._assistant(message)
                if fitted.content:
                    prepared.append(fitted)
            elif isinstance(message, ToolResultMessage):
                prepared.append(self._result(message))
            else:
                prepared.append(self._user(message))
        return prepared

    def _user(self, message: UserMessage) -> UserMessage:
        if self.sees or isinstance(message.content, str):
            return message
        content = images_replace(message.content, USER_IMAGE_NOTE)
        return message if content is message.content else replace(message, content=content)

    def _result(self, message: ToolResultMessage) -> ToolResultMessage:
        content = message.content
        if not self.sees:
            content = images_replace(content, TOOL_IMAGE_NOTE)
        waiting = self.renamed.get(message.tool_call_id)
        call_id = waiting.pop(0) if waiting else message.tool_call_id
        if call_id == message.tool_call_id and content is message.content:
            return message
        return replace(message, tool_call_id=call_id, content=content)

    def _assistant(self, message: AssistantMessage) -> AssistantMessage:
        self.renamed = {}
        model = self.model
        own = (message.provider, message.api, message.model) == (
            model.provider,
            model.api,
            model.id,
        )
        fit = self._own_block if own else self._foreign_block
        content = [fitted for block in message.content if (fitted := fit(block)) is not None]
        # Most answers go back as they are, and a copy of each would double the cost of a request.
        if len(content) == len(message.content) and all(map(is_, content, message.content)):
            return message
        return replace(message, content=tuple(content))

    def _own_block(self, block: AssistantBlock) -> AssistantBlock | None:
        if isinstance(block, ToolCall):
            return self._call(block)
        if isinstance(block, Thinking):
            empty = not block.thinking and not block.signature
            return None if empty or self.drop_thinking else block
        return block if block.text.strip() else None

    def _foreign_block(self, block: AssistantBlock) -> AssistantBlock | None:
        if isinstance(block, ToolCall):
            call = self._call(block)
            return replace(call, thought_signature=None) if call.thought_signature else call
        if isinstance(block, Thinking):
            hidden = block.redacted or self.drop_thinking or not block.thinking.strip()
            return None if hidden else Text(block.thinking)
        if not block.text.strip():
            return None
        return Text(block.text) if block.signature else block

    def _call(self, call: ToolCall) -> ToolCall:
        sent = self.ids.take(call.id)
        self.renamed.setdefault(call.id, []).append(sent)
        return call if sent == call.id else replace(call, id=sent)
