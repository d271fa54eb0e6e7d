"""The thresholds of an agent's loop detection: its own over those of all agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from pydantic import ValidationError

from agents.config.registry import section
from agents.config.sections.loop_schema import LoopDetection
from tools.loop_detection import LoopSettings

log = structlog.get_logger(__name__)


def loop_settings(*, agent_tools: Mapping[str, Any] | None) -> LoopSettings:
    """The settings in force. `agent_tools` is the `tools` object of the agent's entry, or None.

    What an agent leaves out is taken from `tools.loopDetection`. An entry that became invalid
    counts as empty: that is logged and stops nothing.
    """
    stated: LoopDetection = section("tools").loop_detection
    own = (agent_tools or {}).get("loopDetection")
    if own:
        try:
            merged = _merged(stated.model_dump(by_alias=True), own)
            stated = LoopDetection.model_validate(merged)
        except (ValidationError, TypeError) as error:
            log.error("loop_detection_invalid", problem=str(error))
    return _plain(stated)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    nested = {
        key: _merged(base[key], value)
        for key, value in own.items()
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
    }
    return {**base, **own, **nested}


def _plain(stated: LoopDetection) -> LoopSettings:
    detectors = stated.detectors
    return LoopSettings(
        enabled=stated.enabled,
        history_size=stated.history_size,
        warning=stated.warning_threshold,
        block=stated.critical_threshold,
        breaker=stated.global_circuit_breaker_threshold,
        unknown_tool=stated.unknown_tool_threshold,
        post_compaction=stated.post_compaction_guard.window_size,
        repeat=detectors.generic_repeat,
        poll=detectors.known_poll_no_progress,
        ping_pong=detectors.ping_pong,
    ).ordered()
