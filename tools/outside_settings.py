"""What an agent does after it read content from outside: its own settings over those of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from pydantic import ValidationError

from agents.config.registry import section
from agents.config.sections.outside_schema import OutsideContent

log = structlog.get_logger(__name__)


def outside_settings(*, agent_tools: Mapping[str, Any] | None) -> OutsideContent:
    """The settings in force. `agent_tools` is the `tools` object of the agent's entry, or None.

    What an agent leaves out is taken from `tools.outsideContent`. An entry that became invalid
    counts as empty: that is logged and opens nothing.
    """
    stated: OutsideContent = section("tools").outside_content
    own = (agent_tools or {}).get("outsideContent")
    if not own:
        return stated
    try:
        return OutsideContent.model_validate({**stated.model_dump(by_alias=True), **own})
    except (ValidationError, TypeError) as error:
        log.error("outside_content_invalid", problem=str(error))
        return stated
