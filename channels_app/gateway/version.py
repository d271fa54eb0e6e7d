"""The version that the gateway tells its clients."""

from __future__ import annotations

VERSION = "1.0.0"
