"""`tools.toolSearch` of the configuration document (runtime.md 4.9)."""

from __future__ import annotations

from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from agents.config.registry import section
from agents.config.schema import Kept, Strict


def _mode(value: str) -> str:
    if value == "code":
        raise ValueError(_("code is not supported: no program of a model runs here; use tools"))
    if value != "tools":
        raise ValueError(_("must be tools"))
    return value


def _long(value: Any) -> Any:
    """The short form, true or false, written out."""
    return {"enabled": value} if isinstance(value, bool) else value


Limit = Annotated[int, Field(ge=1, le=100)]


class ToolSearchSettings(Strict):
    """Whether models search for most tools instead of being shown them all."""

    enabled: bool = True
    mode: Annotated[str, AfterValidator(_mode)] = "tools"
    search_default_limit: Limit = 8
    max_search_limit: Limit = 20

    code_timeout_ms: Kept = None

    @model_validator(mode="after")
    def _ordered(self) -> ToolSearchSettings:
        if self.search_default_limit > self.max_search_limit:
            raise ValueError(_("searchDefaultLimit must not be above maxSearchLimit"))
        return self


ToolSearch = Annotated[ToolSearchSettings, BeforeValidator(_long)]
OFF = ToolSearchSettings(enabled=False)


def tool_search_settings() -> ToolSearchSettings:
    """The settings in force. Queries nothing when they were read a moment ago."""
    stated: Any = section("tools").tool_search
    return stated if isinstance(stated, ToolSearchSettings) else OFF


def tool_search_problem() -> str:
    """Why there is no search for tools, "" when there is one."""
    return "" if tool_search_settings().enabled else _("switched off (tools.toolSearch)")
