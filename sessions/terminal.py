"""A message sent from a terminal, and its answer as it comes in."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.errors import OpenClawError
from agents.core.principal import Principal
from agents.ids import new_id
from sessions.approvals.selectors import approvals_pending
from sessions.approvals.shapes import command_text, preview
from sessions.inbox import message_accept
from sessions.live_reader import LiveReader, workers_count
from sessions.run_selectors import RunStatus, run_status
from sessions.showing import result_summary, result_text
from sessions.stops import everything_stopped, run_stop

# Seconds between two looks at the database, which knows the end even when Redis was away.
LOOK_SECONDS = 0.5
# Seconds without any sign of work after which the absence of workers is told.
WORKER_SECONDS = 10.0
# How long Ctrl-C may go unnoticed.
_HEAR_SECONDS = 0.1
_MAX_ARGUMENT = 100


class Screen(Protocol):
    """Where an answer is shown."""

    def text(self, piece: str) -> None:
        """The next piece of the answer, as it comes."""

    def note(self, line: str) -> None:
        """A line beside the answer: a tool call, a wait."""


class NobodyWorks(OpenClawError):
    """The message is kept, but nothing will answer it until somebody acts."""

    code = "no_worker"
    status = 503


class Interrupts:
    """Counts Ctrl-C. The second one raises KeyboardInterrupt, the first only sets `asked`."""

    def __init__(self) -> None:
        self.asked = False

    def hear(self, *_: object) -> None:
        """The signal handler."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While it lasts, Ctrl-C is counted here. For the main thread."""
        before = signal.signal(signal.SIGINT, self.hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def message_run(
    *,
    principal: Principal,
    session_key: str,
    text: str,
    screen: Screen,
    worker_seconds: float = WORKER_SECONDS,
    options: Mapping[str, Any] | None = None,
) -> RunStatus:
    """Sends `text` and shows the answer until it has ended; returns how it ended.

    `options` hold for this message alone (model, thinking). Ctrl-C stops the turn. Raises
    UserError when the message is refused, and NobodyWorks when it was taken but neither a worker
    nor the switch lets it be answered within `worker_seconds`.
    """
    interrupts, run_id = Interrupts(), new_id()
    with LiveReader() as reader, interrupts.heard():
        accepted = message_accept(
            principal=principal,
            session_key=session_key,
            text=text,
            run_id=run_id,
            source=f"cli:{principal.id}",
            origin={"kind": "cli"},
            options=options,
        )
        reader.session_id = accepted.session_id
        following = _Following(principal, accepted.session_key, run_id, screen)
        return following.follow(reader, interrupts, worker_seconds)


class _Following:
    """What has been shown of one message's answer so far."""

    def __init__(self, principal: Principal, key: str, wire: str, screen: Screen) -> None:
        self._principal, self._key, self._wire, self._screen = principal, key, wire, screen
        self._run = ""
        self._shown = ""
        self._ended = False
        self._told = ""
        self._thoughts: list[str] = []
        self._told_thoughts = False
        self._last: list[str] = []
        self._asked: set[str] = set()

    def follow(
        self, reader: LiveReader, interrupts: Interrupts, worker_seconds: float
    ) -> RunStatus:
        """Shows records until the message has ended."""
        look_at = time.monotonic() + LOOK_SECONDS
        quiet_until = time.monotonic() + worker_seconds
        is_stopping = False
        while True:
            record = reader.next(seconds=_HEAR_SECONDS)
            if record is not None and self._take(record):
                quiet_until = time.monotonic() + worker_seconds
            if interrupts.asked and not is_stopping:
                is_stopping = True
                self._stop()
            if self._ended or time.monotonic() >= look_at:
                look_at = time.monotonic() + LOOK_SECONDS
                status = run_status(principal=self._principal, run_id=self._wire)
                if status.ended:
                    self._finish(status)
                    return status
                if status.state == "parked":
                    self._tell_questions()
                if time.monotonic() >= quiet_until:
                    self._tell_wait(status)

    def _stop(self) -> None:
        self._screen.note(_("stopping"))
        run_stop(principal=self._principal, session_key=self._key, run_id=self._wire, kind="stop")

    def _take(self, record: dict[str, Any]) -> bool:
        """Shows a record if it belongs to the message; tells whether it did."""
        wires = [wire if isinstance(wire, str) else wire["id"] for wire in record.get("wires", ())]
        if self._wire in wires:
            self._run = record["run"] or self._run
            self._ended = record["t"] == "run.end"
        elif not self._run or record.get("run") != self._run:
            return False
        if record["t"] != "thinking":
            self._thought_end()
        show = _SHOWN.get(record["t"])
        if show is not None:
            show(self, record)
        return True

    def _show_text(self, record: dict[str, Any]) -> None:
        self._show(record["d"])

    def _show_resume(self, record: dict[str, Any]) -> None:
        """After a restart the committed text replaces what was shown."""
        self._screen.note(_("the turn goes on after a restart"))
        self._show_whole(record["text"])

    def _show_tool(self, record: dict[str, Any]) -> None:
        self._screen.note(tool_line(record["name"], record["args"]))

    def _show_tool_end(self, record: dict[str, Any]) -> None:
        if record["isError"]:
            self._screen.note(_("%(tool)s failed") % {"tool": record["name"]})
        level, result = record.get("verbose"), record.get("result")
        said = result_text(result) if level == "full" else result_summary(result)
        if level in ("on", "full") and said:
            self._screen.note(said)

    def _show_thinking(self, record: dict[str, Any]) -> None:
        self._thoughts.append(record["d"])

    def _thought_end(self) -> None:
        """Reasoning is a line of its own, once it is complete."""
        if self._thoughts:
            text = "".join(self._thoughts).strip()
            self._thoughts = []
            self._screen.note(_("thinking: %(text)s") % {"text": text})
            self._told_thoughts = True

    def _show_end(self, record: dict[str, Any]) -> None:
        """What stands behind the answer is said after it."""
        if (text := record.get("reasoning")) and not self._told_thoughts:
            self._last.append(_("thinking: %(text)s") % {"text": text})
        if line := record.get("traceLine"):
            self._last.append(line)

    def _show(self, piece: str) -> None:
        self._shown += piece
        self._screen.text(piece)

    def _show_whole(self, text: str) -> None:
        """Brings what was shown to `text`. A message that joined a turn has seen its last part."""
        if text.startswith(self._shown):
            self._show(text[len(self._shown) :])
        elif not text.endswith(self._shown.lstrip("\n")):
            self._shown = ""
            self._screen.text("\n\n")
            self._show(text)

    def _finish(self, status: RunStatus) -> None:
        self._show_whole(status.text)
        for line in self._last:
            self._screen.note(line)

    def _tell_wait(self, status: RunStatus) -> None:
        if everything_stopped():
            text = _("Everything is stopped. The message is kept; start with: manage.py resume")
            raise NobodyWorks(text)
        if not workers_count():
            text = _("No worker has taken the message. It is kept; start it with make up")
            raise NobodyWorks(text)
        if status.state != self._told and status.state in _WAITS:
            self._told = status.state
            self._screen.note(str(_WAITS[status.state]))

    def _tell_questions(self) -> None:
        """What has to be decided, and how that is done from another terminal."""
        for approval in approvals_pending(principal=self._principal, session_key=self._key):
            if approval.pk in self._asked:
                continue
            self._asked.add(approval.pk)
            said = _("waits for a decision: %(asked)s")
            self._screen.note(said % {"asked": preview(command_text(approval))})
            choices = "|".join(approval.decisions)
            self._screen.note(f"manage.py approvals resolve {approval.slug} {choices}")


_WAITS = {
    "waiting": gettext_lazy("the message waits for its turn"),
    "parked": gettext_lazy("the turn waits for a decision; see the control panel"),
    "running": gettext_lazy("working"),
}
_SHOWN = {
    "text": _Following._show_text,
    "thinking": _Following._show_thinking,
    "run.resume": _Following._show_resume,
    "run.end": _Following._show_end,
    "tool.start": _Following._show_tool,
    "tool.end": _Following._show_tool_end,
}


def tool_line(name: str, arguments: dict[str, Any]) -> str:
    """A tool call in one line: its name and the beginning of its arguments."""
    shown = " ".join(str(value) for value in arguments.values())
    line = " ".join(shown.split())
    short = line if len(line) <= _MAX_ARGUMENT else f"{line[: _MAX_ARGUMENT - 1]}…"
    return f"{name} {short}".rstrip()
