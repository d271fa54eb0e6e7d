"""Whether a model's service searches the web while it answers. Pure.

Then the product's own search only confuses: the model gets two tools for one thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Services all of whose models search.
_SEARCHERS = ("perplexity",)


def searches_itself(provider: str, model: str, params: Mapping[str, Any]) -> bool:
    """Whether a call of `model` with these settings makes its service search.

    Known are what xAI, OpenAI, Qwen and OpenRouter take in the body of a request
    (`params.extraBody`), OpenRouter's names that end in `:online`, and Perplexity.
    """
    if provider.lower() in _SEARCHERS:
        return True
    if provider.lower() == "openrouter" and model.endswith(":online"):
        return True
    extra = params.get("extraBody", params.get("extra_body"))
    return isinstance(extra, Mapping) and _asks_for_search(extra)


def _asks_for_search(body: Mapping[str, Any]) -> bool:
    live = body.get("search_parameters")
    if isinstance(live, Mapping) and live.get("mode", "auto") != "off":
        return True
    plugins = body.get("plugins")
    if isinstance(plugins, Sequence) and any(
        isinstance(one, Mapping) and one.get("id") == "web" for one in plugins
    ):
        return True
    return isinstance(body.get("web_search_options"), Mapping) or body.get("enable_search") is True
