"""Live records as `agent`, `chat` and session events (gateway.md 3.3, 3.4; clients.md 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.core.messages import now_ms
from channels_app.gateway.connection import Flavour
from channels_app.gateway.hub.endings import LONGEST_TEXT, ending_frames
from channels_app.gateway.hub.frame import Frame, frame_make
from channels_app.gateway.hub.view import RunView
from sessions.showing import result_summary


@dataclass(frozen=True, slots=True)
class Shown:
    """A record with what is known around it.

    `news` is the text that clients of the whole text get now, "" when it is not time yet.
    `rows` are the transcript rows of the record's entries, `html_rows` the same with HTML.
    """

    record: dict[str, Any]
    view: RunView
    position: str = ""
    news: str = ""
    replaced: bool = False
    rows: tuple[dict[str, Any], ...] = ()
    html_rows: tuple[dict[str, Any], ...] = ()


def frames_render(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    """The frames of one record for sockets of one flavour, in the order they must arrive."""
    make = _RENDERERS.get(shown.record["t"])
    return make(shown, flavour, alias) if make is not None else []


def run_payload(shown: Shown, flavour: Flavour) -> dict[str, Any]:
    """What every event of a run carries."""
    record = shown.record
    payload = {
        "runId": record.get("wire", ""),
        "sessionKey": record["key"],
        "agentId": record.get("agent", ""),
        "seq": record.get("seq", 0),
    }
    return _positioned(payload, shown, flavour)


def _positioned(payload: dict[str, Any], shown: Shown, flavour: Flavour) -> dict[str, Any]:
    if flavour.has_positions and shown.position:
        payload["position"] = shown.position
    return payload


def agent_frame(
    shown: Shown, flavour: Flavour, stream: str, data: dict[str, Any], *, droppable: bool = False
) -> Frame:
    """One `agent` event."""
    payload = run_payload(shown, flavour)
    payload |= {"stream": stream, "data": data, "ts": shown.record.get("ts") or now_ms()}
    return frame_make("agent", payload, droppable=droppable)


def chat_payload(shown: Shown, flavour: Flavour, alias: str, state: str) -> dict[str, Any]:
    """What every `chat` event carries; protocol 3 gets the session key as it wrote it."""
    payload = run_payload(shown, flavour)
    payload["state"] = state
    if flavour.protocol < 4:
        payload["sessionKey"] = alias
    return payload


def text_message(text: str) -> dict[str, Any]:
    """An assistant message of plain text."""
    content = [{"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "timestamp": now_ms()}


def whole_text_frame(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    """A chat delta with everything said so far, if there is news."""
    if not shown.news or flavour.is_page:
        return []
    payload = chat_payload(shown, flavour, alias, "delta")
    payload |= {"deltaText": shown.news, "message": text_message(shown.view.text)}
    return [frame_make("chat", payload, droppable=True)]


def _start(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    started = shown.record.get("startedAt") or now_ms()
    frame = agent_frame(shown, flavour, "lifecycle", {"phase": "start", "startedAt": started})
    return [frame, *_wires(shown, flavour, alias), *_replacement(shown, flavour, alias)]


def _resume(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    return [*_wires(shown, flavour, alias), *_replacement(shown, flavour, alias)]


def _wires(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    """Which run ids this turn answers: those do not wait any more."""
    if flavour.protocol < 4:
        return []
    payload = chat_payload(shown, flavour, alias, "status")
    payload |= {"phase": "starting_model", "runIds": shown.view.wires}
    return [frame_make("chat", payload)]


def _replacement(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    """The text began anew: another worker took the turn over."""
    if not shown.replaced:
        return []
    text = shown.view.text
    payload = chat_payload(shown, flavour, alias, "delta")
    payload |= {"deltaText": text, "replace": True}
    if not flavour.is_page and len(text) <= LONGEST_TEXT:
        payload["message"] = text_message(text)
    return [frame_make("chat", payload)]


def _model(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    data = {"phase": "model", "provider": shown.view.provider, "model": shown.view.model}
    return [agent_frame(shown, flavour, "lifecycle", data)]


def _text(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    delta = shown.record["d"]
    if flavour.is_page:
        payload = chat_payload(shown, flavour, alias, "delta")
        payload["deltaText"] = delta
        # The page puts deltas together itself, so it must get them all.
        return [frame_make("chat", payload)]
    data = {"delta": delta}
    if shown.news or flavour.protocol < 4:
        data["text"] = shown.view.text
    frame = agent_frame(shown, flavour, "assistant", data, droppable=True)
    return [frame, *whole_text_frame(shown, flavour, alias)]


def _thinking(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    data = {"delta": shown.record["d"]}
    if not flavour.is_page:
        data["text"] = shown.view.thinking
    return [agent_frame(shown, flavour, "thinking", data, droppable=not flavour.is_page)]


def _compaction_start(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    data = {"phase": "start", "reason": shown.record.get("reason", "")}
    return [agent_frame(shown, flavour, "compaction", data)]


def _compaction_end(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    names = ("completed", "willRetry", "tokensBefore", "tokensAfter", "error")
    data = {name: shown.record[name] for name in names if shown.record.get(name) not in ("", None)}
    return [agent_frame(shown, flavour, "compaction", {"phase": "end", **data})]


def _tool_start(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    data = {"phase": "start", "args": shown.record.get("args") or {}}
    return _tool(shown, flavour, alias, data)


def _tool_update(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    data: dict[str, Any] = {"phase": "update"}
    if _gets_results(shown, flavour):
        data["partialResult"] = shown.record.get("partial")
    return _tool(shown, flavour, alias, data, droppable=True)


def _tool_end(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    record = shown.record
    data: dict[str, Any] = {"phase": "result", "isError": bool(record.get("isError"))}
    if "ms" in record:
        data["durationMs"] = record["ms"]
    if _gets_results(shown, flavour):
        data["result"] = record.get("result")
    elif record.get("verbose") == "on":
        data["meta"] = result_summary(record.get("result"))
    return _tool(shown, flavour, alias, data)


def _gets_results(shown: Shown, flavour: Flavour) -> bool:
    """Programs get what a tool gave back at the level "full"; the page folds it away."""
    return flavour.is_page or shown.record.get("verbose") == "full"


def _tool(
    shown: Shown, flavour: Flavour, alias: str, data: dict[str, Any], *, droppable: bool = False
) -> list[Frame]:
    frames = whole_text_frame(shown, flavour, alias)
    if flavour.has_tools:
        record = shown.record
        data |= {"name": record.get("name", ""), "toolCallId": record.get("id", "")}
        frames.append(agent_frame(shown, flavour, "tool", data, droppable=droppable))
    return frames


def _plan(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    record = shown.record
    data = {"phase": "update", "steps": record.get("steps") or []}
    if record.get("explanation"):
        data["explanation"] = record["explanation"]
    return [agent_frame(shown, flavour, "plan", data)]


def _entry(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    return [_message_frame(shown, flavour, row) for row in _rows(shown, flavour)]


def _rows(shown: Shown, flavour: Flavour) -> tuple[dict[str, Any], ...]:
    return shown.html_rows if flavour.has_html else shown.rows


def _message_frame(shown: Shown, flavour: Flavour, row: dict[str, Any]) -> Frame:
    record, marks = shown.record, row["__openclaw"]
    payload = {
        "sessionKey": record["key"],
        "agentId": record.get("agent", ""),
        "runId": record.get("wire", ""),
        "message": row,
        "messageId": marks["id"],
        "messageSeq": marks["seq"],
        "ts": record.get("ts") or now_ms(),
    }
    return frame_make("session.message", _positioned(payload, shown, flavour), audience="readers")


def _end(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    frames = whole_text_frame(shown, flavour, alias)
    frames += [_message_frame(shown, flavour, row) for row in _rows(shown, flavour)]
    if shown.record.get("run"):
        frames.append(agent_frame(shown, flavour, "lifecycle", _end_data(shown.record)))
    base = chat_payload(shown, flavour, alias, "")
    return [*frames, *ending_frames(shown.record, base, flavour)]


def _end_data(record: dict[str, Any]) -> dict[str, Any]:
    data = {
        "phase": "error" if record["state"] == "error" else "end",
        "startedAt": record.get("startedAt"),
        "endedAt": record.get("endedAt") or now_ms(),
        "stopReason": record.get("stopReason") or "stop",
        "aborted": record["state"] == "aborted",
    }
    if record["state"] == "error":
        data["error"] = record.get("errorMessage") or "The run failed."
    return data


def _queue(shown: Shown, flavour: Flavour, alias: str) -> list[Frame]:
    record = shown.record
    payload = {"sessionKey": record["key"], "agentId": record.get("agent", "")}
    payload |= {name: record[name] for name in ("waiting", "item") if name in record}
    payload = _positioned(payload, shown, flavour)
    return [frame_make("session.queue", payload, audience="readers")]


_RENDERERS: dict[str, Callable[[Shown, Flavour, str], list[Frame]]] = {
    "run.start": _start,
    "run.resume": _resume,
    "run.wires": _wires,
    "run.model": _model,
    "text": _text,
    "thinking": _thinking,
    "compaction.start": _compaction_start,
    "compaction.end": _compaction_end,
    "tool.start": _tool_start,
    "tool.update": _tool_update,
    "tool.end": _tool_end,
    "plan": _plan,
    "entry": _entry,
    "run.end": _end,
    "queue": _queue,
    "queue.add": _queue,
}
