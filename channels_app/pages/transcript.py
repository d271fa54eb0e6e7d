"""A transcript as a page shows it: entries paired, folded and named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.utils.translation import gettext as _

from channels_app.markdown import markdown_render, tricks_shown
from channels_app.pages.spoken import attached_name, spoken_text
from channels_app.pages.timeline import argument_words, run_tokens
from channels_app.uploads import PLAYED_TYPES
from sessions.artifacts import IMAGE_TYPES
from sessions.models import Entry, ModelCall, Run, ToolCall
from sessions.showing import Showing, result_summary, trace_line

# Tool output beyond this is on the run page; a chat with several megabytes would not scroll.
LONGEST_RESULT = 20_000

_STATUSES = ("pending", "in_progress", "completed")

# The icon and the verb of each tool; the page's script gets the same table.
TOOLS: dict[str, tuple[str, str]] = {
    "exec": ("terminal", "run"),
    "process": ("terminal", "process"),
    "read": ("file", "read"),
    "write": ("file-plus", "write"),
    "edit": ("file-edit", "edit"),
    "apply_patch": ("file-edit", "patch"),
    "update_plan": ("check", "plan"),
}


@dataclass(frozen=True, slots=True)
class Attached:
    """A file of a message. `id` is set for stored ones that can be shown; `kind` says as what:
    image, audio or video."""

    name: str
    id: str = ""
    kind: str = "image"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One line of a checklist. `status` is pending, in_progress or completed."""

    status: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """One tool call. `state` is running, done or failed; `steps` are those of a plan."""

    call_id: str
    name: str
    icon: str
    verb: str
    argument: str
    arguments: str
    state: str
    result: str = ""
    summary: str = ""
    milliseconds: float | None = None
    steps: tuple[PlanStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Foot:
    """What a whole turn took, below its last message. `trace` is the line that /trace asks for."""

    run: Run
    milliseconds: float | None
    tokens: int
    trace: str = ""


@dataclass(slots=True)
class Shown:
    """One message of the page. `role` is user, assistant or notice; `text` is for copying.

    `kind` is the type of a mark that has a form of its own: a compaction with its `title`.
    """

    id: str
    seq: int
    role: str
    run_id: str
    wire_id: str
    at: datetime
    parent_id: str = ""
    kind: str = ""
    title: str = ""
    text: str = ""
    html: str = ""
    thinking: str = ""
    error: str = ""
    stopped: bool = False
    files: list[Attached] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    foot: Foot | None = None


def transcript_shown(entries: Sequence[Entry], showing: Showing) -> list[Shown]:
    """The messages of `entries`, tool results put to their calls, a foot below each ended turn.

    Reasoning and the trace line are there as far as `showing` says.
    """
    runs = {
        run.id: run for run in Run.objects.filter(id__in={e.run_id for e in entries if e.run_id})
    }
    results = {e.body.get("toolCallId"): e.body for e in entries if e.role == "toolResult"}
    times = _tool_times(runs)
    found = [
        shown
        for entry in entries
        if (shown := _shown(entry, runs.get(entry.run_id), results, times)) is not None
    ]
    if not showing.keeps_reasoning:
        for message in found:
            message.thinking = ""
    profiles = _profiles(runs) if showing.trace == "on" else None
    for message in _last_of_each_run(found):
        run = runs.get(message.run_id)
        if run is not None and run.ended_at is not None:
            message.foot = _foot(run, profiles)
    return found


def _profiles(runs: Iterable[str]) -> dict[str, str]:
    """The credential of the last model call of each run."""
    calls = ModelCall.objects.filter(run_id__in=list(runs), purpose="turn").order_by("number")
    return dict(calls.values_list("run_id", "profile"))


def _tool_times(runs: Iterable[str]) -> dict[tuple[str, str], float]:
    calls = ToolCall.objects.filter(run_id__in=list(runs)).exclude(ended_at=None)
    return {
        (run_id, call_id): (ended - started) / timedelta(milliseconds=1)
        for run_id, call_id, started, ended in calls.values_list(
            "run_id", "call_id", "started_at", "ended_at"
        )
        if started is not None and ended is not None
    }


def _last_of_each_run(messages: Sequence[Shown]) -> Iterable[Shown]:
    return {m.run_id: m for m in messages if m.run_id and m.role == "assistant"}.values()


def _foot(run: Run, profiles: Mapping[str, str] | None) -> Foot:
    end = run.ended_at
    spent = (end - run.started_at) / timedelta(milliseconds=1) if end else None
    trace = "" if profiles is None else _trace(run, profiles.get(run.pk, ""), spent or 0)
    return Foot(run=run, milliseconds=spent, tokens=run_tokens(run), trace=trace)


def _trace(run: Run, profile: str, milliseconds: float) -> str:
    return trace_line(
        {
            "runId": run.pk,
            "provider": run.provider,
            "model": run.model,
            "profile": profile,
            "inputTokens": run.input_tokens + run.cache_read_tokens,
            "outputTokens": run.output_tokens,
            "cost": run.cost if run.cost_known else None,
            "ms": milliseconds,
        }
    )


def _shown(
    entry: Entry,
    run: Run | None,
    results: dict[Any, dict[str, Any]],
    times: dict[tuple[str, str], float],
) -> Shown | None:
    if entry.role == "toolResult":
        return None
    shown = Shown(
        id=entry.entry_id,
        seq=entry.seq,
        role="notice" if entry.role == "hook" else entry.role or "notice",
        run_id=entry.run_id,
        wire_id=run.wire_id if run else "",
        at=entry.created_at,
        parent_id=entry.parent_id,
    )
    if entry.role == "user" and entry.body.get("wake"):
        # Nobody wrote it: a line of the gateway.
        shown.role, shown.kind = "notice", "wake"
        shown.text = tricks_shown(str(entry.body.get("said") or ""))
    elif entry.role == "user":
        _fill_user(shown, entry.body)
    elif entry.role == "assistant":
        is_running = run is not None and run.state == Run.State.RUNNING
        _fill_assistant(shown, entry.body, results, times, is_running=is_running)
    elif entry.type == Entry.Type.COMPACTION:
        shown.kind = "compaction"
        shown.title, shown.text = _divider(entry)
    else:
        shown.text = _notice_text(entry)
    return shown if shown.text or shown.files or entry.role else None


def _fill_user(shown: Shown, body: dict[str, Any]) -> None:
    content = body.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    texts: list[str] = []
    for block in blocks:
        if block.get("type") == "image":
            name = str(block.get("fileName") or _("Image"))
            shown.files.append(Attached(name=name, id=image_id(block)))
        elif name := attached_name(text := str(block.get("text", ""))):
            shown.files.append(Attached(name=name))
        else:
            texts.append(text)
    said = body.get("said")
    shown.text = spoken_text("\n".join(texts) if said is None else str(said))


def image_id(block: dict[str, Any]) -> str:
    """The stored file behind an image block, "" for one that came inline."""
    data = str(block.get("data") or "")
    return str(block.get("artifactId") or "") or (
        data.removeprefix("artifact:") if data.startswith("artifact:") else ""
    )


def _fill_assistant(
    shown: Shown,
    body: dict[str, Any],
    results: dict[Any, dict[str, Any]],
    times: dict[tuple[str, str], float],
    *,
    is_running: bool,
) -> None:
    blocks = body.get("content") or []
    shown.text = "".join(b.get("text", "") for b in blocks if b.get("type") == "text")
    shown.html = markdown_render(shown.text) if shown.text.strip() else ""
    thoughts = [b.get("thinking", "") for b in blocks if b.get("type") == "thinking"]
    shown.thinking = tricks_shown("\n\n".join(text for text in thoughts if text))
    shown.stopped = body.get("stopReason") == "aborted"
    if body.get("stopReason") == "error":
        shown.error = str(body.get("errorMessage") or _("The model call failed."))
    for block in blocks:
        if block.get("type") == "toolCall":
            call_id = str(block.get("id"))
            spent = times.get((shown.run_id, call_id))
            shown.cards.append(_card(block, results.get(call_id), spent, is_running=is_running))
            shown.files += made_files(results.get(call_id))


def made_files(result: dict[str, Any] | None) -> list[Attached]:
    """The files that a tool made and that were kept, as far as pages can show them."""
    details = (result or {}).get("details")
    files = details.get("files") if isinstance(details, dict) else None
    found = []
    for file in files if isinstance(files, list) else ():
        mime_type = str(file.get("mimeType")) if isinstance(file, dict) else ""
        # Tools of plugins may write anything there.
        if mime_type in IMAGE_TYPES | PLAYED_TYPES and str(file.get("id")).isalnum():
            kind = mime_type.partition("/")[0]
            found.append(Attached(str(file.get("name")), str(file.get("id")), kind))
    return found


def _card(
    block: dict[str, Any],
    result: dict[str, Any] | None,
    milliseconds: float | None,
    *,
    is_running: bool,
) -> Card:
    name = str(block.get("name"))
    icon, verb = TOOLS.get(name, ("tool", name))
    arguments = block.get("arguments") or {}
    state = "running" if is_running else "failed"
    if result is not None:
        state = "failed" if result.get("isError") else "done"
    return Card(
        call_id=str(block.get("id")),
        name=name,
        icon=icon,
        verb=verb,
        argument=tricks_shown(argument_words(arguments)),
        arguments=tricks_shown(orjson.dumps(arguments, option=orjson.OPT_INDENT_2).decode()),
        state=state,
        result=_result_text(result),
        summary=tricks_shown(result_summary(result)),
        milliseconds=milliseconds,
        steps=_steps(arguments) if name == "update_plan" else (),
    )


def _steps(arguments: Mapping[str, Any]) -> tuple[PlanStep, ...]:
    """The checklist of a call, as far as it is one: a model may have sent anything."""
    plan = arguments.get("plan")
    items = [item for item in plan if isinstance(item, dict)] if isinstance(plan, list) else []
    return tuple(
        PlanStep(
            status=str(item.get("status")) if item.get("status") in _STATUSES else "pending",
            text=tricks_shown(str(item.get("step", ""))),
        )
        for item in items
    )


def _result_text(result: dict[str, Any] | None) -> str:
    if result is None:
        return ""
    blocks = result.get("content") or []
    text = "\n".join(
        str(block.get("text", "")) if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in blocks
    )
    return tricks_shown(text if len(text) <= LONGEST_RESULT else f"{text[:LONGEST_RESULT]}\n…")


def _divider(entry: Entry) -> tuple[str, str]:
    """The title and the text of the line behind what was taken out of the model's context."""
    kind = (entry.body.get("details") or {}).get("kind", "")
    words = divider_words()
    return words.get(kind, words["summarised"]), str(entry.body.get("summary") or words["empty"])


def divider_words() -> dict[str, str]:
    """The titles of such lines by the kind of what was done, and the text of an empty one."""
    return {
        "summarised": _("Earlier part summarised"),
        "truncation": _("Long tool results shortened"),
        "trim": _("Earlier part left out"),
        "empty": _("Nothing was summarised. The transcript above is whole."),
    }


def _notice_text(entry: Entry) -> str:
    body = entry.body
    if entry.type == Entry.Type.MODEL_CHANGE:
        return _("The model is now %(model)s.") % {"model": body.get("modelId", "")}
    if entry.role == "hook":
        said = _("A plugin asked for another pass: %(text)s")
        return said % {"text": tricks_shown(str(body.get("content", "")))}
    return str(body.get("text") or body.get("message") or "")
