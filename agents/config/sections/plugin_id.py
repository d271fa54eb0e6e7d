"""What a plugin may be called."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

PluginId = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[\w@./-]+$")]
