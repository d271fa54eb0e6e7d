"""A call of the tool `process`: which command it is about, and whether the caller may see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from tools.arguments import text_argument
from tools.background.job import Job
from tools.background.jobs import job_find, jobs_pruned


@dataclass(frozen=True, slots=True)
class ProcessCall:
    """The arguments, the turn, and how long ended commands are kept."""

    arguments: Mapping[str, Any]
    context: ToolContext
    kept_seconds: float

    def jobs(self) -> list[Job]:
        """The caller's commands in the background, oldest first."""
        return [job for job in jobs_pruned(kept_seconds=self.kept_seconds) if self._mine(job)]

    def job(self) -> Job:
        """The one that `sessionId` names. Raises ToolError when there is none of the caller's."""
        name = text_argument(self.arguments, "sessionId").strip()
        found = job_find(name)
        if found is not None and self._mine(found):
            return found
        names = [job.name for job in self.jobs()]
        near = get_close_matches(name, names, n=1)
        hint = (
            f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(names) or 'none'}."
        )
        raise ToolError(f"sessionId: there is no command {name!r}.{hint}")

    def _mine(self, job: Job) -> bool:
        spec = job.spec
        same = (spec.agent, spec.person) == (self.context.agent_id, self.context.principal.id)
        return same and job.state.free


def job_details(job: Job) -> dict[str, Any]:
    """The facts about a command for pages and logs."""
    return {
        "sessionId": job.name,
        "status": job.status,
        "command": job.spec.command,
        "pid": job.state.pid,
        "startedAt": round(job.state.started * 1000),
        "durationMs": round(job.seconds * 1000),
        "exitCode": job.state.code if job.state.code is not None and job.state.code >= 0 else None,
        "cwd": job.spec.folder,
    }
