"""`tools.fs`, for all agents and for one (runtime.md 4.1)."""

from __future__ import annotations

from agents.config.schema import Strict


class FileRules(Strict):
    """Where read, write and edit may go.

    `workspace_only` keeps them in the agent's workspace. Without it they reach the whole disk for
    owners outside of sandboxes, and for nobody else. The reference's default is false.
    """

    workspace_only: bool = True


class AgentFileRules(Strict):
    """The same for one agent; None leaves it to `tools.fs`."""

    workspace_only: bool | None = None
