"""Messages of every shape, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from agents.core.messages import (
    AssistantMessage,
    Cost,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)

# The same examples in every run, and no verdict that depends on how busy the machine is.
steady = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)

# No surrogates and no NUL: those are replaced when a message is written.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
MAYBE_TEXT = st.none() | TEXTS
TIMES = st.integers(0, 2**53)
COUNTS = st.integers(0, 2**40)
DOLLARS = st.floats(0, 1e6)
JSON_OBJECTS: st.SearchStrategy[Any] = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63) | DOLLARS | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
TEXT_BLOCKS = st.builds(Text, TEXTS, MAYBE_TEXT)
IMAGES = st.builds(Image, st.just("aGk="), st.sampled_from(["image/png", "image/jpeg"]))
CALLS = st.builds(ToolCall, TEXTS, TEXTS, JSON_OBJECTS, MAYBE_TEXT)
THOUGHTS = st.builds(Thinking, TEXTS, MAYBE_TEXT, st.booleans())
USER_BLOCKS = st.lists(TEXT_BLOCKS | IMAGES, max_size=3).map(tuple)
USAGES = st.builds(
    Usage, COUNTS, COUNTS, COUNTS, COUNTS, st.builds(Cost, DOLLARS, DOLLARS, DOLLARS, DOLLARS)
)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, TEXTS | USER_BLOCKS, TIMES),
    st.builds(
        AssistantMessage,
        st.lists(TEXT_BLOCKS | THOUGHTS | CALLS, max_size=4).map(tuple),
        TEXTS,
        TEXTS,
        TEXTS,
        USAGES,
        st.sampled_from(["stop", "length", "toolUse", "error", "aborted"]),
        MAYBE_TEXT,
        MAYBE_TEXT,
        MAYBE_TEXT,
        TIMES,
    ),
    st.builds(
        ToolResultMessage,
        TEXTS,
        TEXTS,
        USER_BLOCKS,
        st.booleans(),
        st.none() | JSON_OBJECTS,
        TIMES,
    ),
)
