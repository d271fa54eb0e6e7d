"""The actions of the tool `process` that need no waiting. Blocking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolResult
from tools.arguments import flag_argument, number_argument, text_argument
from tools.background.control import input_end, input_send, job_kill
from tools.background.job import Job
from tools.background.jobs import job_drop
from tools.background.keys import application_mode, hex_bytes, keys_bytes, paste_bytes
from tools.background.segments import output_read, output_total
from tools.builtin.process_calls import ProcessCall, job_details
from tools.builtin.process_words import duration, job_label, job_output, job_standing

_LOG_LINES = 200
_MOST_LOG_LINES = 2_000
_MOST_LOG_CHARACTERS = 50_000
_TAIL = 160


def _list(call: ProcessCall) -> ToolResult:
    jobs = call.jobs()
    lines = [_line(job) for job in jobs]
    text = "\n".join(lines) or "No commands run in the background, and none ended lately."
    return ToolResult.text(text, sessions=[job_details(job) for job in jobs])


def _line(job: Job) -> str:
    tail = " ".join(job_output(job, _near_end(job))[0].tail()[-_TAIL:].split())
    shown = f" | {tail}" if tail else ""
    return (
        f"{job.name}  {job_standing(job)}  {duration(job.seconds)}  pid {job.state.pid}  "
        f"{job_label(job)}{shown}"
    )


def _near_end(job: Job) -> int:
    return max(0, output_total(str(job.path)) - 4 * _TAIL)


def _log(call: ProcessCall) -> ToolResult:
    job = call.job()
    lines = job_output(job)[0].text().split("\n")
    if lines[-1] == "":
        lines.pop()
    limit = number_argument(call.arguments, "limit", _LOG_LINES, low=1)
    limit = min(limit, _MOST_LOG_LINES)
    first = number_argument(call.arguments, "offset", max(1, len(lines) - limit + 1), low=1)
    if first > max(1, len(lines)):
        raise ToolError(f"offset: {first} is beyond the end; there are {len(lines)} lines.")
    chosen = lines[first - 1 : first - 1 + limit]
    text = "\n".join(chosen)
    if len(text) > _MOST_LOG_CHARACTERS:
        text = f"[… cut; ask for fewer lines …]\n{text[-_MOST_LOG_CHARACTERS:]}"
    where = f"lines {first}-{first + len(chosen) - 1} of {len(lines)}" if lines else "no output"
    note = f"[{where}; {job.name}: {job_standing(job)}]"
    return ToolResult.text(
        f"{text}\n\n{note}" if text else note,
        **job_details(job),
        firstLine=first,
        totalLines=len(lines),
    )


def _write(call: ProcessCall) -> ToolResult:
    job = call.job()
    ended = flag_argument(call.arguments, "eof")
    data = _text(call, "data", needed=not ended).encode()
    if data:
        input_send(job, data)
    if ended:
        input_end(job)
    return _sent(job, data, ", and its input was ended" if ended else "")


def _submit(call: ProcessCall) -> ToolResult:
    job = call.job()
    data = _text(call, "data", needed=False).encode() + (b"\r" if _terminal(job) else b"\n")
    input_send(job, data)
    return _sent(job, data)


def _send_keys(call: ProcessCall) -> ToolResult:
    job = call.job()
    keys = _names(call, "keys")
    # Looked up only where it matters: it means to read the output.
    application = bool(keys) and _terminal(job) and application_mode(_whole(job))
    data = _text(call, "literal", needed=False).encode() + hex_bytes(_names(call, "hex"))
    data += keys_bytes(keys, application=application)
    if not data:
        raise ToolError("keys: give keys, hex or literal.")
    input_send(job, data)
    return _sent(job, data)


def _paste(call: ProcessCall) -> ToolResult:
    job = call.job()
    stated = call.arguments.get("bracketed") is None or flag_argument(call.arguments, "bracketed")
    text = _text(call, "text", needed=True)
    data = paste_bytes(text, bracketed=stated and _terminal(job))
    input_send(job, data)
    return _sent(job, data)


def _kill(call: ProcessCall) -> ToolResult:
    job = call.job()
    if not job.running:
        return ToolResult.text(f"{job.name} had ended: {job_standing(job)}.", **job_details(job))
    return _killed(job_kill(job))


def _killed(job: Job) -> ToolResult:
    if job.running:
        raise ToolError(f"{job.name} could not be killed; it may hang in the kernel.")
    return ToolResult.text(f"{job.name} was killed with all it started.", **job_details(job))


def _clear(call: ProcessCall) -> ToolResult:
    if call.arguments.get("sessionId"):
        job = call.job()
        if job.running:
            raise ToolError(f"{job.name} still runs. Use kill or remove.")
        chosen = [job]
    else:
        chosen = [job for job in call.jobs() if not job.running]
    for job in chosen:
        job_drop(job)
    names = ", ".join(job.name for job in chosen)
    return ToolResult.text(f"Forgotten: {names}." if names else "Nothing had ended.")


def _remove(call: ProcessCall) -> ToolResult:
    job = call.job()
    if job.running:
        _killed(job_kill(job))
    job_drop(job)
    return ToolResult.text(f"{job.name} was removed.", **job_details(job))


ACTIONS: Mapping[str, Callable[[ProcessCall], ToolResult]] = {
    "list": _list,
    "log": _log,
    "write": _write,
    "submit": _submit,
    "send-keys": _send_keys,
    "paste": _paste,
    "kill": _kill,
    "clear": _clear,
    "remove": _remove,
}


def _terminal(job: Job) -> bool:
    return job.spec.input == "pty"


def _text(call: ProcessCall, name: str, *, needed: bool) -> str:
    if call.arguments.get(name) is None and not needed:
        return ""
    return clean_text(text_argument(call.arguments, name))


def _names(call: ProcessCall, name: str) -> Sequence[str]:
    given = call.arguments.get(name)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ToolError(f"{name}: expected a list of texts.")
    return given


def _whole(job: Job) -> bytes:
    data, offset = b"", 0
    while True:
        start, piece = output_read(str(job.path), offset)
        if not piece:
            return data
        data, offset = data + piece, start + len(piece)


def _sent(job: Job, data: bytes, more: str = "") -> ToolResult:
    text = f"{len(data):,} bytes were sent to {job.name}{more}. Use poll to see what comes of it."
    return ToolResult.text(text, **job_details(job))
