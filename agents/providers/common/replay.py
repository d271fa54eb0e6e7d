"""The transcript made fit to be sent to a model that may not be the one that wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import is_

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Image,
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
from agents.providers.common.policy import CALL_NAME, TranscriptPolicy, policy_for

# Services that insist on a first word by the user get this one.
_OPENING = UserMessage("(The conversation continues.)", timestamp=0)
# Keeps an answer in its place of which nothing but reasoning was there.
OMITTED_TEXT = "(reasoning left out)"


def replay(
    messages: Sequence[Message],
    model: ModelInfo,
    *,
    ids: CallIdRule | None = None,
) -> list[Message]:
    """What to send for `messages`: at least one message, first the user, no prefill at the end.

    Calls that were damaged are left out, every other has its result (see `repair_pairs`, which
    also decides what is left of failed answers), reasoning and signatures of other models are
    turned into plain text or dropped, the rest follows the policy of the model's API, with `ids`
    in place of its rule if given. Images are replaced by a note when the model cannot see, blank
    text is left out. Never changes its input; the same input gives the same output.
    """
    policy = policy_for(model)
    paired = repair_pairs(damaged_calls_left_out(messages))
    prepared = _Replay(model, policy, ids or policy.ids).run(paired)
    while prepared and _is_prefill(prepared[-1]):
        prepared.pop()
    if not prepared or not isinstance(prepared[0], UserMessage):
        prepared.insert(0, _OPENING)
    return prepared


def damaged_calls_left_out(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without calls that no service takes: no id, no usable name, no arguments.

    The same sequence when there are none, which is nearly always.
    """
    if not any(map(_has_damage, messages)):
        return messages
    return [_without_damage(m) if isinstance(m, AssistantMessage) else m for m in messages]


def _has_damage(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and any(map(_is_damaged, message.content))


def _without_damage(message: AssistantMessage) -> AssistantMessage:
    whole = tuple(block for block in message.content if not _is_damaged(block))
    return replace(message, content=whole)


def _is_damaged(block: AssistantBlock) -> bool:
    if not isinstance(block, ToolCall):
        return False
    named = CALL_NAME.fullmatch(block.name) is not None
    return not named or not block.id.strip() or not isinstance(block.arguments, Mapping)


def thinking_stripped(messages: Sequence[Message]) -> list[Message]:
    """The messages without any reasoning and without the signatures of texts and calls.

    For a service that refused them. An answer of which nothing else is left keeps its place with
    a word in its stead. Unchanged messages are the same objects; `messages` is not changed.
    """
    return [_stripped(m) if isinstance(m, AssistantMessage) else m for m in messages]


def _stripped(message: AssistantMessage) -> AssistantMessage:
    plain = [_unsigned(block) for block in message.content if not isinstance(block, Thinking)]
    if len(plain) == len(message.content) and all(map(is_, plain, message.content)):
        return message
    return replace(message, content=tuple(plain) or (Text(OMITTED_TEXT),))


def _unsigned(block: Text | ToolCall) -> Text | ToolCall:
    if isinstance(block, Text):
        return Text(block.text) if block.signature else block
    return replace(block, thought_signature=None) if block.thought_signature else block


def _is_prefill(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.tool_calls


class _Replay:
    def __init__(self, model: ModelInfo, policy: TranscriptPolicy, ids: CallIdRule) -> None:
        self.model = model
        self.policy = policy
        self.ids = CallIds(ids)
        self.forgets = policy.forgets_reasoning(model)
        self.sees = "image" in model.input
        self.renamed: dict[str, list[tuple[str, str]]] = {}

    def run(self, messages: Sequence[Message]) -> list[Message]:
        prepared: list[Message] = []
        in_progress = _turn_start(messages) if self.forgets else 0
        for number, message in enumerate(messages):
            fitted: Message | None
            if isinstance(message, AssistantMessage):
                fitted = self._assistant(message, drop=number < in_progress)
            elif isinstance(message, ToolResultMessage):
                fitted = self._result(message)
            else:
                fitted = self._user(message)
            if fitted is not None:
                prepared.append(fitted)
        return prepared

    def _user(self, message: UserMessage) -> UserMessage | None:
        if isinstance(message.content, str):
            return message if message.content.strip() else None
        content = message.content
        if not self.sees:
            content = images_replace(content, USER_IMAGE_NOTE)
        if not all(isinstance(block, Image) or block.text.strip() for block in content):
            content = tuple(b for b in content if isinstance(b, Image) or b.text.strip())
        if not content:
            return None
        return message if content is message.content else replace(message, content=content)

    def _result(self, message: ToolResultMessage) -> ToolResultMessage:
        content = message.content
        if not self.sees:
            content = images_replace(content, TOOL_IMAGE_NOTE)
        waiting = self.renamed.get(message.tool_call_id)
        call_id, name = waiting.pop(0) if waiting else (message.tool_call_id, message.tool_name)
        same = call_id == message.tool_call_id and name == message.tool_name
        if same and content is message.content:
            return message
        return replace(message, tool_call_id=call_id, tool_name=name, content=content)

    def _assistant(self, message: AssistantMessage, *, drop: bool) -> AssistantMessage | None:
        """`drop` leaves out the reasoning. None when nothing is left to send."""
        self.renamed = {}
        model = self.model
        own = (message.provider, message.api, message.model) == (
            model.provider,
            model.api,
            model.id,
        )
        fit = self._own_block if own else self._foreign_block
        content = [fitted for block in message.content if (fitted := fit(block, drop)) is not None]
        # Most answers go back as they are, and a copy of each would double the cost of a request.
        if content and len(content) == len(message.content):
            if all(map(is_, content, message.content)):
                return message
        elif not content:
            if not (own and any(map(_has_reasoning, message.content))):
                return None
            content = [Text(OMITTED_TEXT)]
        return replace(message, content=tuple(content))

    def _own_block(self, block: AssistantBlock, drop: bool) -> AssistantBlock | None:
        if isinstance(block, ToolCall):
            return self._signed(self._call(block))
        if isinstance(block, Thinking):
            return None if drop else self._own_thinking(block)
        return self._signed(block) if block.text.strip() else None

    def _own_thinking(self, block: Thinking) -> Thinking | None:
        signature = self.policy.signature(block.signature)
        if self.policy.needs_signature and signature is None:
            return None
        if signature == block.signature:
            return block if block.thinking.strip() or signature else None
        return replace(block, signature=None) if block.thinking.strip() else None

    def _signed(self, block: Text | ToolCall) -> Text | ToolCall:
        """The block without a signature that the service could not read."""
        if isinstance(block, Text):
            fits = block.signature == self.policy.signature(block.signature)
            return block if fits else Text(block.text)
        fits = block.thought_signature == self.policy.signature(block.thought_signature)
        return block if fits else replace(block, thought_signature=None)

    def _foreign_block(self, block: AssistantBlock, drop: bool) -> AssistantBlock | None:
        if isinstance(block, ToolCall):
            call = self._call(block)
            return replace(call, thought_signature=None) if call.thought_signature else call
        if isinstance(block, Thinking):
            hidden = block.redacted or drop or not block.thinking.strip()
            return None if hidden else Text(block.thinking)
        if not block.text.strip():
            return None
        return Text(block.text) if block.signature else block

    def _call(self, call: ToolCall) -> ToolCall:
        sent, name = self.ids.take(call.id), self.policy.name(call.name)
        self.renamed.setdefault(call.id, []).append((sent, name))
        return call if sent == call.id and name == call.name else replace(call, id=sent, name=name)


def _has_reasoning(block: AssistantBlock) -> bool:
    return isinstance(block, Thinking) and bool(block.thinking.strip() or block.signature)


def _turn_start(messages: Sequence[Message]) -> int:
    """Where the turn in progress begins: at the last message of the user."""
    for number in range(len(messages) - 1, -1, -1):
        if isinstance(messages[number], UserMessage):
            return number
    return 0
