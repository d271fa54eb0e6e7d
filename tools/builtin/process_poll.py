"""The action `poll` of the tool `process`."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from agents.core.abort import AbortSignal
from agents.core.tools import ToolResult
from tools.background.job import Job, job_read
from tools.background.segments import output_total
from tools.builtin.process_calls import ProcessCall, job_details
from tools.builtin.process_words import job_output, job_standing

# Milliseconds; the reference's limit.
MOST_WAIT = 30_000
# Characters of new output that one poll gives; the reference's limit for what is pending.
_MOST_SHOWN = 30_000
_LOOK_SECONDS = 0.1
# Seconds to wait before the next poll, by the number of polls that brought nothing.
_PAUSES = (5, 10, 30, 60)


async def poll(call: ProcessCall, seconds: float, signal: AbortSignal) -> ToolResult:
    """The output since the last poll and how the command stands; waits for news so long."""
    job = await asyncio.to_thread(call.job)
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while not await asyncio.to_thread(_has_news, job):
        left = until - loop.time()
        if left <= 0 or signal.aborted:
            break
        await asyncio.sleep(min(left, _LOOK_SECONDS))
    return await asyncio.to_thread(_news, job)


def _has_news(job: Job) -> bool:
    now = job_read(job.path)
    return now is None or not now.running or output_total(str(job.path)) > _shown(job)[0]


def _news(job: Job) -> ToolResult:
    # First how it stands, then the output: so nothing that it printed before its end is missed.
    now = job_read(job.path) or job
    offset, idle = _shown(job)
    output, offset = job_output(now, offset)
    text = output.text()
    idle = 0 if text else idle + 1
    with suppress(OSError):
        (now.path / "shown").write_text(f"{offset} {idle}", encoding="ascii")
    notes = [f"{now.name}: {job_standing(now)}"]
    retry = None
    if now.running and not text:
        retry = _PAUSES[min(idle, len(_PAUSES)) - 1]
        notes.append(f"nothing new; look again in {retry} seconds")
    return ToolResult.text(
        "\n\n".join([*([_cut(text).rstrip("\n")] if text else []), f"[{'; '.join(notes)}]"]),
        **job_details(now),
        retryInMs=retry and retry * 1000,
    )


def _cut(text: str) -> str:
    if len(text) <= _MOST_SHOWN:
        return text
    left_out = len(text) - _MOST_SHOWN
    return f"[… {left_out:,} characters left out; see log …]\n{text[-_MOST_SHOWN:]}"


def _shown(job: Job) -> tuple[int, int]:
    """The byte up to which the output was shown, and how many polls in a row brought nothing."""
    with suppress(OSError, ValueError):
        numbers = (job.path / "shown").read_text(encoding="ascii").split()
        return int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    return 0, 0
