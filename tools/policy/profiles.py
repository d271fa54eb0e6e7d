"""The profiles that every installation has. Pure."""

from __future__ import annotations

from collections.abc import Mapping

# Profile → what it allows; nothing means everything. From runtime.md 5.2 and design 10. All but
# the smallest have the readers of long results and of large catalogues: without them tools that
# a profile does allow could not be used to the end.
PROFILES: Mapping[str, tuple[str, ...]] = {
    "minimal": ("session_status",),
    "coding": (
        "group:fs", "group:runtime", "group:web", "group:memory", "group:sessions",
        "group:catalog", "cron", "update_plan", "image", "image_generate", "music_generate",
        "video_generate", "pdf", "plugin:mcp-*",
    ),
    "analysis": (
        "read", "group:web", "group:memory", "group:catalog", "session_status", "read_result",
    ),
    "messaging": (
        "sessions_list", "sessions_history", "sessions_send", "session_status", "read_result",
        "message", "group:catalog", "plugin:mcp-*",
    ),
    "full": (),
}  # fmt: skip
