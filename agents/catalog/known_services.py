"""What is known of the models of further services: a choice of their current ones.

Ids and context windows are those of `genai-prices` 0.2.3; prices come from there as well, when a
call is counted. How long an answer may be is our own careful bound where a service states none.
An id that is not listed can be used all the same.
"""

from __future__ import annotations

from agents.catalog.known_providers import COPILOT, KNOWN_PROVIDERS
from agents.core.model import ModelInfo

_TEXT = ("text",)
_TEXT_AND_IMAGES = ("text", "image")
# Tokens of one answer: the reference's cap for large windows, less where the window is small.
_OUTPUT = 32_000
_SMALL_OUTPUT = 8_192
_SMALL_WINDOW = 100_000

# Service → (id, window in tokens, marks): "r" reasons and can be told how much, "i" sees images.
_TABLE: dict[str, tuple[tuple[str, int, str], ...]] = {
    "google": (
        ("gemini-3.8-flash", 1_000_000, "ri"),
        ("gemini-4-argon", 1_048_576, "ri"),
        ("gemini-3.7-flash", 1_000_000, "ri"),
        ("gemini-3.5-flash-lite", 1_000_000, "ri"),
        ("gemini-3.1-flash-lite", 1_000_000, "ri"),
        ("gemini-2.5-flash", 1_048_576, "ri"),
    ),
    "openrouter": (
        ("anthropic/claude-sonnet-5.5", 1_000_000, "ri"),
        ("anthropic/claude-opus-5.5", 1_000_000, "i"),
        ("openai/gpt-6-sol", 1_050_000, "ri"),
        ("google/gemini-3.8-flash", 1_048_576, "ri"),
        ("x-ai/grok-4.7", 500_000, "i"),
        ("deepseek/deepseek-v4.1-flash", 1_048_576, "r"),
        ("moonshotai/kimi-k3", 1_048_576, ""),
        ("z-ai/glm-5.3", 1_048_576, "r"),
    ),
    "mistral": (
        ("mistral-large-4", 1_048_576, "i"),
        ("mistral-medium-3-5", 262_144, "i"),
        ("mistral-small-2603", 262_144, "i"),
        ("devstral-2512", 262_144, ""),
    ),
    "xai": (
        ("grok-4.7", 500_000, "i"),
        ("grok-4.5", 500_000, "i"),
        ("grok-4.3", 1_000_000, "i"),
        ("grok-code-fast-1", 256_000, ""),
    ),
    "deepseek": (
        ("deepseek-v4-flash", 1_000_000, "r"),
        ("deepseek-v4-pro", 1_000_000, "r"),
    ),
    "zai": (
        ("GLM-5.3", 1_000_000, "r"),
        ("GLM-5.3-Flash", 1_000_000, "r"),
        ("GLM-5.2", 1_000_000, "r"),
        ("GLM-4.6V", 128_000, "ri"),
    ),
    "moonshot": (
        ("kimi-k3", 1_048_576, "i"),
        ("kimi-k3.1-pro", 1_048_576, "i"),
        ("kimi-k2.7-code", 262_144, ""),
        ("kimi-k2.6", 262_144, "i"),
    ),
    "minimax": (
        ("MiniMax-M3.1-Flash", 1_000_000, ""),
        ("MiniMax-M2.7", 204_800, ""),
    ),
    "groq": (
        ("openai/gpt-oss-120b", 131_072, ""),
        ("openai/gpt-oss-20b", 131_072, ""),
        ("qwen/qwen3.8-27b", 131_072, ""),
    ),
    "cerebras": (
        ("gpt-oss-120b", 131_072, ""),
        ("zai-glm-4.7", 131_072, ""),
        ("qwen-3.8-27b", 65_536, ""),
    ),
    "together": (
        ("zai-org/GLM-5.3", 1_048_575, ""),
        ("moonshotai/Kimi-K3", 1_048_576, ""),
        ("Qwen/Qwen3.8-Flash", 1_000_000, ""),
        ("openai/gpt-oss-120b", 131_072, ""),
    ),
    "fireworks": (
        ("accounts/fireworks/models/kimi-k3", 1_040_000, ""),
        ("accounts/fireworks/models/deepseek-v4-pro", 1_048_576, ""),
        ("accounts/fireworks/models/glm-5p2", 1_040_000, ""),
    ),
    COPILOT: (
        ("claude-sonnet-5", 264_000, "i"),
        ("claude-opus-5", 264_000, "i"),
        ("claude-haiku-4.5", 144_000, "i"),
        ("gpt-5-mini", 264_000, "i"),
        ("gpt-4.1", 128_000, "i"),
        ("gemini-3.8-flash", 265_536, "i"),
    ),
}


def _model(provider: str, model_id: str, window: int, marks: str) -> ModelInfo:
    return ModelInfo(
        provider=provider,
        id=model_id,
        api=KNOWN_PROVIDERS[provider].api,
        name=model_id,
        context_window=window,
        max_tokens=_OUTPUT if window > _SMALL_WINDOW else _SMALL_OUTPUT,
        input=_TEXT_AND_IMAGES if "i" in marks else _TEXT,
        reasoning="r" in marks,
    )


SERVICE_MODELS: dict[str, dict[str, ModelInfo]] = {
    provider: {row[0]: _model(provider, *row) for row in rows} for provider, rows in _TABLE.items()
}
# The first of each: quick, able to use tools, not the dearest.
SERVICE_DEFAULTS: dict[str, str] = {provider: rows[0][0] for provider, rows in _TABLE.items()}
