"""The admin of programs that reach us."""

from __future__ import annotations

from channels_app.admin import devices, tokens

__all__ = ["devices", "tokens"]
