"""Which thinking levels a model can do, and what is done instead of one that it cannot."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo
from agents.providers.thinking_levels import thinking_fitted, thinking_levels, thinking_named

USUAL = ("off", "minimal", "low", "medium", "high")


def model(model_id: str, api: str, *, reasoning: bool = True, **compat: Any) -> ModelInfo:
    return ModelInfo(provider="x", id=model_id, api=api, reasoning=reasoning, compat=compat)


def test_it_works() -> None:
    plain = model("m", "openai-completions", reasoning=False)
    assert thinking_levels(plain) == ("off",)
    assert {thinking_fitted(level, plain) for level in get_args(ThinkingLevel)} == {"off"}


@pytest.mark.parametrize(
    ("model_id", "api", "levels"),
    [
        ("claude-opus-4-8", "anthropic-messages", get_args(ThinkingLevel)),
        ("claude-haiku-4-5", "anthropic-messages", USUAL),
        ("gpt-5.1", "openai-responses", USUAL),
        ("gpt-5.4", "openai-responses", (*USUAL, "xhigh")),
        ("gpt-6-sol", "openai-responses", (*USUAL, "xhigh", "max")),
        ("gemini-3-pro", "google-generative-ai", (*USUAL, "adaptive")),
        ("openai/gpt-5.2", "openai-completions", (*USUAL, "xhigh")),
        ("qwen3-8b", "ollama", USUAL),
    ],
)
def test_by_kind(model_id: str, api: str, levels: tuple[str, ...]) -> None:
    assert thinking_levels(model(model_id, api)) == levels


@pytest.mark.parametrize(
    ("level", "fitted"),
    [("max", "high"), ("xhigh", "high"), ("adaptive", "medium"), ("low", "low"), ("off", "off")],
)
def test_a_level_too_high_is_lowered(level: ThinkingLevel, fitted: str) -> None:
    assert thinking_fitted(level, model("m", "openai-completions")) == fitted


def test_stated_levels_count() -> None:
    stated = model("m", "openai-completions", reasoning=False, thinkingLevels=["high", "low"])
    assert thinking_levels(stated) == ("low", "high")
    assert thinking_fitted("medium", stated) == "low"
    assert thinking_fitted("off", stated) == "low"
    always = model("claude-opus-5-5", "anthropic-messages", alwaysThinking=True)
    assert thinking_fitted("off", always) == "minimal"


@pytest.mark.parametrize(
    ("word", "level"), [("HIGH", "high"), ("none", "off"), ("on", "low"), ("much", None)]
)
def test_words(word: str, level: str | None) -> None:
    assert thinking_named(word) == level
