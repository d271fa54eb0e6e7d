"""Random histories, damaged in every way that files, crashes and imports damage them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
)
from agents.core.model import ModelInfo

TEXTS = st.sampled_from(
    ["", " ", "\n", "hello", "half \ud83d", "\ude00", "nul \0", "日本", "a " * 9]
)
IDS = st.sampled_from(
    [
        "",
        " ",
        "call_1",
        "call_1",
        "toolu_2",
        "a|fc_1",
        "call|x|y",
        "\udcff",
        "üüü",
        "x" * 200,
        "a:0",
    ]
)
NAMES = st.sampled_from(
    [
        "read",
        "write",
        "",
        " ",
        "a b",
        "ns.tool",
        "ns:tool",
        "9lives",
        "-dash",
        "é",
        "n" * 80,
        "\ud800",
    ]
)
SIGNATURES = st.sampled_from(
    [
        *(None, "", " ", "c2lnbmVk", "not base64!", "reasoning_content", "{", '{"type": "x"}'),
        '{"type":"reasoning","id":"rs_1","summary":[]}',
        '{"id":"msg_1"}',
    ]
)
ARGUMENTS: SearchStrategy[Any] = st.sampled_from(
    [
        {},
        {"path": "a"},
        {"path": "half \ud83d"},
        {"n": 2**70},
        {"deep": [{"x": None}]},
        None,
        "text",
    ]
)
STOPS = st.sampled_from(["stop", "stop", "toolUse", "toolUse", "length", "error", "aborted"])
IMAGES = st.just(Image("aGk=", "image/png"))
USER_BLOCKS: SearchStrategy[tuple[UserBlock, ...]] = st.lists(
    st.builds(Text, TEXTS) | IMAGES, max_size=3
).map(tuple)
ASSISTANT_BLOCKS: SearchStrategy[tuple[AssistantBlock, ...]] = st.lists(
    st.builds(Text, TEXTS, SIGNATURES)
    | st.builds(Thinking, TEXTS, SIGNATURES, st.booleans())
    | st.builds(ToolCall, IDS, NAMES, ARGUMENTS, SIGNATURES),
    max_size=4,
).map(tuple)


def histories(model: ModelInfo) -> SearchStrategy[list[Message]]:
    """Histories in which `model` and others spoke."""
    own = (model.api, model.provider, model.id)
    speakers = st.sampled_from([own, own, ("other", "other", "other"), ("", "", "")])
    answers = st.builds(_answer, ASSISTANT_BLOCKS, speakers, STOPS)
    results = st.builds(ToolResultMessage, IDS, NAMES, USER_BLOCKS, st.booleans())
    users = st.builds(UserMessage, TEXTS | USER_BLOCKS)
    return st.lists(users | answers | answers | results | results, max_size=12)


def _answer(content: Any, speaker: tuple[str, str, str], stop: Any) -> AssistantMessage:
    api, provider, model = speaker
    return AssistantMessage(content, api=api, provider=provider, model=model, stop_reason=stop)
