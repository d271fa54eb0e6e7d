"""The transcript made fit for another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import (
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
from agents.providers.common.call_ids import ANTHROPIC_IDS, MISTRAL_IDS, OPENAI_IDS, CallIds
from agents.providers.common.images import TOOL_IMAGE_NOTE, USER_IMAGE_NOTE
from agents.providers.common.replay import replay, thinking_stripped

MODEL = ModelInfo(provider="p", id="m", api="anthropic-messages", input=("text", "image"))
PICTURE = Image("AAAA", "image/png")


def own(*content: Text | Thinking | ToolCall) -> AssistantMessage:
    return AssistantMessage(content, provider="p", model="m", api="anthropic-messages")


def foreign(*content: Text | Thinking | ToolCall) -> AssistantMessage:
    return AssistantMessage(content, provider="q", model="n", api="openai-completions")


def replayed(*messages: Message, model: ModelInfo = MODEL) -> list[Message]:
    return replay([UserMessage("hi"), *messages, UserMessage("on")], model, ids=ANTHROPIC_IDS)


def content_of(message: Message) -> Sequence[object]:
    assert not isinstance(message.content, str)
    return message.content


def test_it_works() -> None:
    history: list[Message] = [UserMessage("hi"), own(Text("yes")), UserMessage("on")]
    assert replay(history, MODEL, ids=ANTHROPIC_IDS) == history


def test_own_reasoning_is_kept_as_it_is() -> None:
    blocks = (Thinking("why", "sig"), Thinking("", "sig2"), Thinking("", "data", redacted=True))
    assert content_of(replayed(own(*blocks, Text("so")))[1]) == (*blocks, Text("so"))


def test_foreign_reasoning_becomes_text_or_nothing() -> None:
    blocks = (Thinking("why", "sig"), Thinking(" ", "sig2"), Thinking("x", "data", redacted=True))
    said = foreign(*blocks, Text("so", "textsig"))
    assert content_of(replayed(said)[1]) == (Text("why"), Text("so"))


def test_foreign_call_loses_its_signature_and_keeps_its_result() -> None:
    call = ToolCall("a|b c", "read", {"path": "x"}, thought_signature="s")
    result = ToolResultMessage("a|b c", "read", (Text("r"),))
    sent = replayed(foreign(call), result)
    (sent_call,) = content_of(sent[1])
    assert sent_call == ToolCall("abc", "read", {"path": "x"})
    assert sent[2] == replace(result, tool_call_id="abc")


def test_all_reasoning_can_be_left_out() -> None:
    said = own(Thinking("why", "sig"), Text("so"))
    history: list[Message] = [UserMessage("hi"), said, UserMessage("on")]
    sent = replay(thinking_stripped(history), MODEL, ids=ANTHROPIC_IDS)
    assert content_of(sent[1]) == (Text("so"),)


def test_repeated_ids_are_told_apart() -> None:
    turns: list[Message] = []
    for text in ("one", "two"):
        turns += [own(ToolCall("same", "read")), ToolResultMessage("same", "read", (Text(text),))]
    sent = replayed(*turns)
    calls = [block for m in sent if isinstance(m, AssistantMessage) for block in m.tool_calls]
    results = [m for m in sent if isinstance(m, ToolResultMessage)]
    assert [r.tool_call_id for r in results] == [c.id for c in calls]
    assert calls[0].id == "same"
    assert len({call.id for call in calls}) == 2


def test_answer_that_is_left_empty_is_dropped() -> None:
    assert [m.role for m in replayed(foreign(Thinking("", "sig")), own(Text(" ")))] == [
        "user",
        "user",
    ]


def test_images_become_one_note_for_each_run() -> None:
    blind = replace(MODEL, input=("text",))
    question = UserMessage((PICTURE, PICTURE, Text("and"), PICTURE))
    call = own(ToolCall("1", "read"))
    sent = replayed(question, call, ToolResultMessage("1", "read", (PICTURE,)), model=blind)
    note = Text(USER_IMAGE_NOTE)
    assert content_of(sent[1]) == (note, Text("and"), note)
    assert content_of(sent[3]) == (Text(TOOL_IMAGE_NOTE),)


def test_ids_that_a_service_accepts_are_never_changed() -> None:
    for rule, call_id in (
        (ANTHROPIC_IDS, "toolu_01AbC-d"),
        (OPENAI_IDS, "call_abc123"),
        (OPENAI_IDS, "functions.read:0"),
        (MISTRAL_IDS, "aB3dE6gH9"),
    ):
        assert CallIds(rule).take(call_id) == call_id


@given(st.lists(st.text(max_size=80), max_size=20))
def test_ids_fit_are_unique_and_the_same_every_time(originals: list[str]) -> None:
    for rule in (ANTHROPIC_IDS, OPENAI_IDS, MISTRAL_IDS):
        first, second = CallIds(rule), CallIds(rule)
        taken = [first.take(original) for original in originals]
        assert taken == [second.take(original) for original in originals]
        assert len(set(taken)) == len(taken)
        assert all(rule.accepted.fullmatch(call_id) for call_id in taken)
