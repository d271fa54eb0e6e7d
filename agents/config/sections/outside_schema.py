"""`tools.outsideContent`, for all agents and for one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.config.schema import Strict
from agents.config.sections.tool_policy_schema import MOST_ENTRIES, NameList

Source = Annotated[str, Field(min_length=1, max_length=200)]


class OutsideContent(Strict):
    """What holds after content from outside was read.

    `mode` ask: a person decides on each call that could do harm; deny: such calls are refused;
    off: nothing changes. `unattended` is for turns in which nobody can be asked: allow follows the
    list of tools that the owner gave the job, deny refuses. `remember` says how long content
    counts. `also_dangerous` adds tools to those that could do harm, `trusted_sources` names
    sources (web_fetch, mcp:<server>, * for anything) whose content counts as vouched for.
    """

    mode: Literal["ask", "deny", "off"] = "ask"
    unattended: Literal["allow", "deny"] = "allow"
    remember: Literal["turn", "conversation"] = "turn"
    also_dangerous: NameList = []
    trusted_sources: list[Source] = Field(default=[], max_length=MOST_ENTRIES)
