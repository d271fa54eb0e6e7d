"""One session on this web process: who watches it, what runs in it, who waits for an end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from channels_app.gateway.connection import Connection
from channels_app.gateway.hub.endings import wires_of
from channels_app.gateway.hub.follower import Follower, ended_from
from channels_app.gateway.hub.frame import Frame
from channels_app.gateway.hub.positions import Position
from channels_app.gateway.hub.render import Shown, frames_render, whole_text_frame
from channels_app.gateway.hub.view import BEGINNING, RunView, view_make
from channels_app.gateway.hub.watch import Watch

# design 12: clients of the whole text get it at most this often (seconds).
WHOLE_TEXT_SECONDS = 0.15


class Feed:
    """Takes the records of one session in order. Lives while somebody watches or waits."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.session_id = ""
        self.position: Position | None = None
        self.fence = 0
        self.view: RunView | None = None
        self.watches: dict[Connection, Watch] = {}
        self.followers: list[Follower] = []
        # Run ids that somebody waits for, and when there was last a sign of life of them.
        self.waits: dict[str, float] = {}
        self._ended_run = ""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nobody needs this feed any more."""
        return not self.watches and not self.followers

    @property
    def has_readers(self) -> bool:
        """Whether a socket here gets the transcript's rows."""
        return any(watch.is_reader for watch in self.watches.values())

    @property
    def needs_html(self) -> bool:
        """Whether a socket here wants answers as HTML."""
        return any(watch.connection.flavour.has_html for watch in self.watches.values())

    def is_stale(self, record: dict[str, Any]) -> bool:
        """Whether a record comes from a worker that lost the session, or after the end."""
        run, fence = record.get("run"), record.get("fence", 0)
        if not run:
            return False
        return bool(fence < self.fence or run == self._ended_run)

    def wants_seed(self, record: dict[str, Any]) -> bool:
        """Whether this record is from the middle of a run whose beginning was missed."""
        run = record.get("run")
        if not run or record["t"] in BEGINNING or record["t"] == "run.end":
            return False
        return self.view is None or self.view.run != run

    def seed(self, record: dict[str, Any], text: str | None) -> None:
        """Begins a view in mid-run; `text` is what was said before, None when nobody knows."""
        self.view = view_make(record)
        self.view.is_whole = text is not None
        if text:
            self.view.start_over(text)

    def take(
        self,
        record: dict[str, Any],
        position: Position | None = None,
        rows: tuple[dict[str, Any], ...] = (),
        html_rows: tuple[dict[str, Any], ...] = (),
    ) -> None:
        """Shows one record to everybody here."""
        kind, replaced = record["t"], False
        if record.get("run"):
            replaced = self._follow_run(record)
        view = self._view_of(record) or view_make(record)
        self._update(view, record)
        news = self._news(view, kind)
        place = position.text if position is not None else ""
        shown = Shown(record, view, place, news, replaced, rows, html_rows)
        self._show(lambda watch: frames_render(shown, *watch.group), position)
        self._tell(record, view, replaced)

    def _tell(self, record: dict[str, Any], view: RunView, replaced: bool) -> None:
        kind = record["t"]
        for follower in self.followers:
            if follower.wire in view.wires:
                if replaced:
                    follower.start_over(view.text)
                elif kind == "text":
                    follower.say(record["d"])
        if kind == "run.end":
            self._end(record)

    def follow(self, wire: str) -> Follower:
        """Somebody of this process waits for the end of `wire`."""
        follower = Follower(wire)
        self.followers.append(follower)
        self.waits[wire] = time.monotonic()
        return follower

    def close(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def silent_since(self, moment: float) -> list[str]:
        """Run ids that somebody waits for and that gave no sign since `moment` (monotonic)."""
        view = self.view
        of_view = set(view.wires) if view is not None else set()
        silent = [w for w, at in self.waits.items() if at < moment and w not in of_view]
        if view is not None and view.seen_at < moment:
            silent += view.wires
        return silent

    def _follow_run(self, record: dict[str, Any]) -> bool:
        """Keeps the view on the run of this record; True when its text began anew."""
        kind = record["t"]
        self.fence = max(self.fence, record.get("fence", 0))
        if kind not in BEGINNING:
            return False
        before, self.view = self.view, view_make(record)
        self.view.start_over(record.get("text") or "")
        return kind == "run.resume" or (before is not None and before.run == record["run"])

    def _view_of(self, record: dict[str, Any]) -> RunView | None:
        """The view, if the record is of its run."""
        view, run = self.view, record.get("run")
        return view if view is not None and run and view.run == run else None

    def _update(self, view: RunView, record: dict[str, Any]) -> None:
        now = view.seen_at = time.monotonic()
        view.seq = record.get("seq", view.seq)
        for wire in view.wires:
            if wire in self.waits:
                self.waits[wire] = now
        match record["t"]:
            case "text":
                view.say(record["d"])
            case "thinking":
                view.think(record["d"])
            case "run.wires":
                view.wires = list(record["wires"])
            case "run.model":
                view.provider = record.get("provider") or ""
                view.model = record.get("model") or ""

    def _news(self, view: RunView, kind: str) -> str:
        """What clients of the whole text get with this record."""
        if not view.has_news:
            return ""
        wait = view.shown_at + WHOLE_TEXT_SECONDS - time.monotonic()
        if wait <= 0 or kind in ("tool.start", "run.end"):
            self.close()
            return view.show()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._late_news, view)
        return ""

    def _late_news(self, view: RunView) -> None:
        self._timer = None
        if view is not self.view or not view.has_news:
            return
        record = {
            "t": "text",
            "wire": view.wire,
            "key": self.key,
            "agent": view.agent,
            "seq": view.seq,
        }
        shown = Shown(record, view, news=view.show())
        self._show(lambda watch: whole_text_frame(shown, *watch.group))

    def _show(
        self, render: Callable[[Watch], list[Frame]], position: Position | None = None
    ) -> None:
        groups: dict[Any, list[Frame]] = {}
        for watch in list(self.watches.values()):
            frames = groups.get(watch.group)
            if frames is None:
                frames = groups[watch.group] = render(watch)
            for frame in frames:
                watch.put(frame, position)

    def _end(self, record: dict[str, Any]) -> None:
        for wire in wires_of(record):
            self.waits.pop(wire["id"], None)
            for follower in self.followers:
                if follower.wire == wire["id"]:
                    follower.end(ended_from(record, wire, self.key))
        if self._view_of(record) is not None:
            self._ended_run = record["run"]
            self.view = None
            self.close()
