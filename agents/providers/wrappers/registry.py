"""Wrappers by the name that settings give."""

from __future__ import annotations

from agents.core.registry import Registry
from agents.providers.wrappers.context import StreamWrapper

_HERE = "agents.providers.wrappers"

STREAM_WRAPPERS: Registry[StreamWrapper] = Registry("stream wrapper")
STREAM_WRAPPERS.register("think_tags", f"{_HERE}.think_tags:think_tags")
STREAM_WRAPPERS.register("request_log", f"{_HERE}.request_log:request_log")
STREAM_WRAPPERS.register("cache_trace", f"{_HERE}.cache_trace:cache_trace")
STREAM_WRAPPERS.register("drop_thinking", f"{_HERE}.drop_thinking:drop_thinking")
STREAM_WRAPPERS.register("extra_params", f"{_HERE}.extra_params:extra_params")
STREAM_WRAPPERS.register("headers", f"{_HERE}.headers:headers")

# They act where the settings name them; think_tags always does, and so do those of plugins.
BUILT_IN = frozenset(STREAM_WRAPPERS.names())
ALWAYS = "think_tags"
