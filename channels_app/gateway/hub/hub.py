"""Carries the live records of all sessions to the sockets of this web process.

One subscriber on Redis, started with the first socket. A record is rendered once for all sockets
that get it in the same form. Redis is not the truth: what is missed is fetched from the stream
of the session, and what ends unheard is asked from the database (`heal`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
import structlog

from agents.config.cache import cache_clear
from agents.core.errors import OpenClawError
from agents.credentials.states import states_forget
from agents.database import run_db
from channels_app.gateway.connection import Connection
from channels_app.gateway.frames import event_head
from channels_app.gateway.hub.approvals_feed import ApprovalsFeed
from channels_app.gateway.hub.feed import Feed
from channels_app.gateway.hub.follower import Follower
from channels_app.gateway.hub.frame import Frame
from channels_app.gateway.hub.heal import Healer
from channels_app.gateway.hub.positions import Position, position_parse
from channels_app.gateway.hub.render import Shown, frames_render
from channels_app.gateway.hub.sessions_feed import SessionsFeed
from channels_app.gateway.hub.subscriber import Subscriber
from channels_app.gateway.hub.view import BEGINNING, view_make
from channels_app.gateway.hub.watch import Watch
from channels_app.gateway.presence import Presence
from channels_app.gateway.row_html import rows_with_html
from channels_app.gateway.rows import MAX_TEXT_PAGE, message_row
from channels_app.gateway.ticker import Ticker
from sessions.live import CONTROL, inflight, stream_after
from sessions.selectors import session_visible

log = structlog.get_logger(__name__)

# Records that change how a session looks in a list, and the protocol's word for why.
_SESSION_REASONS = {
    "session": "patch",
    "run.start": "agent.run.started",
    "run.end": "agent.input.settled",
}


class Hub:
    """Belongs to one event loop. All methods are called on it."""

    def __init__(self) -> None:
        self.connections: set[Connection] = set()
        self.feeds: dict[str, Feed] = {}
        self.presence = Presence(self.connections)
        self.sessions = SessionsFeed(self.connections)
        self.approvals = ApprovalsFeed(self.connections)
        self.healer = Healer(self)
        self.ticker = Ticker(self)
        self._subscriber: asyncio.Task[None] | None = None
        self._listening = asyncio.Event()
        self._background: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Begins to listen if nobody did so yet, and waits until Redis answers, briefly."""
        if self._subscriber is None:
            subscriber = Subscriber(on_message=self._on_message, on_ready=self._on_ready)
            self._subscriber = asyncio.get_running_loop().create_task(subscriber.run())
        try:
            # Without Redis the database still answers, so nobody waits long for it.
            await asyncio.wait_for(self._listening.wait(), 1.0)
        except TimeoutError:
            log.warning("gateway.redis_away")

    async def stop(self) -> None:
        """Ends everything that runs for this hub; for the end of a loop."""
        tasks = [self._subscriber, self.healer.task, self.ticker.task, *self._background]
        self.sessions.close()
        for feed in self.feeds.values():
            feed.close()
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def watch(self, connection: Connection, key: str, alias: str = "") -> Watch:
        """The socket's watch on a session, made if there is none. It shows nothing until it is
        confirmed that the session is the caller's."""
        feed = self._feed(key)
        watch = feed.watches.get(connection)
        if watch is None:
            watch = feed.watches[connection] = Watch(connection, alias or key)
        return watch

    def is_watching(self, connection: Connection, key: str) -> bool:
        """Whether the socket gets the events of a session."""
        feed = self.feeds.get(key)
        return feed is not None and connection in feed.watches

    def unwatch(self, connection: Connection, key: str) -> None:
        """Ends a watch."""
        feed = self.feeds.get(key)
        if feed is not None and feed.watches.pop(connection, None) is not None:
            self._drop_if_idle(feed)

    def forget(self, connection: Connection) -> None:
        """The socket is gone."""
        self.connections.discard(connection)
        for feed in [feed for feed in self.feeds.values() if connection in feed.watches]:
            del feed.watches[connection]
            self._drop_if_idle(feed)

    def expect(self, key: str, wire: str) -> None:
        """Sockets wait for the end of `wire`: the database is asked if nothing is heard."""
        self._feed(key).waits[wire] = time.monotonic()
        self.healer.start()

    @contextmanager
    def follow(self, key: str, wire: str) -> Iterator[Follower]:
        """Waits for `wire` within this process; begin before the message is sent."""
        feed = self._feed(key)
        follower = feed.follow(wire)
        self.healer.start()
        try:
            yield follower
        finally:
            feed.followers.remove(follower)
            self._drop_if_idle(feed)

    async def confirm(self, key: str, watch: Watch) -> bool:
        """Checks that the session is the caller's, then shows what was held back."""
        if watch.confirmed:
            return True
        try:
            await run_db(session_visible, principal=watch.connection.principal, key=key)
        except OpenClawError:
            return False
        watch.confirm()
        return True

    async def take(self, session_id: str, position: Position | None, record: Any) -> None:
        """Shows one record to those who may see it."""
        kind = record["t"]
        if kind in _SESSION_REASONS:
            reason = record.get("reason") or _SESSION_REASONS[kind]
            self.sessions.changed(record["key"], reason, record.get("owner") or "")
        feed = self.feeds.get(record["key"])
        if feed is None or kind == "session" or feed.is_stale(record):
            return
        if position is not None:
            if not position.is_after(feed.position):
                return
            feed.session_id, feed.position = session_id, position
        if feed.wants_seed(record):
            await self._seed(feed, record)
        await self.show(feed, record, position)

    async def show(
        self, feed: Feed, record: dict[str, Any], position: Position | None = None
    ) -> None:
        """Renders one record of a feed."""
        rows = rows_of(record) if feed.has_readers else ()
        html_rows = await _html_rows(record) if rows and feed.needs_html else ()
        feed.take(record, position, rows, html_rows)
        for watch in list(feed.watches.values()):
            if not watch.confirmed and not watch.checking:
                watch.checking = True
                self.spawn(self._confirm_or_drop(feed, watch))

    async def replay(self, watch: Watch, records: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Shows records of the past to one socket, before everything that is held back."""
        frames: list[Frame] = []
        for position, record in records:
            # Only parts are shown: what was said before is not known here.
            view = view_make(record)
            view.start_over(record.get("text") or "" if record["t"] in BEGINNING else "")
            rows = rows_of(record)
            html = watch.connection.flavour.has_html and rows
            shown = Shown(
                record,
                view,
                position,
                replaced=record["t"] == "run.resume",
                rows=rows,
                html_rows=await _html_rows(record) if html else (),
            )
            frames += frames_render(shown, *watch.group)
        watch.replay(frames, position_parse(records[-1][0]) if records else None)

    async def _confirm_or_drop(self, feed: Feed, watch: Watch) -> None:
        if not await self.confirm(feed.key, watch):
            self.unwatch(watch.connection, feed.key)

    async def _seed(self, feed: Feed, record: dict[str, Any]) -> None:
        """Begins in mid-run with what Redis remembers of the text before this record."""
        found = await inflight(feed.session_id)
        if found is None or found["run"] != record["run"] or feed.position is None:
            feed.seed(record, None)
            return
        later = await stream_after(feed.session_id, feed.position.text) or ()
        newest = position_parse(found["position"])
        included = [record]
        for text, other in later:
            position = position_parse(text)
            if position is not None and not position.is_after(newest):
                included.append(other)
        length = sum(len(one["d"]) for one in included if one["t"] == "text")
        whole = found["text"]
        feed.seed(record, whole[: len(whole) - length])

    async def _on_message(self, channel: str, data: bytes) -> None:
        if channel == CONTROL:
            self._control(orjson.loads(data))
            return
        session_id, position, text = data.split(b" ", 2)
        record = orjson.loads(text)
        if record["key"] in self.feeds or record["t"] in _SESSION_REASONS:
            await self.take(session_id.decode(), position_parse(position.decode()), record)

    def _control(self, message: dict[str, Any]) -> None:
        if message.get("t") == "settings":
            cache_clear()
        elif message.get("t") == "credentials":
            states_forget()
        elif message.get("t") == "approval":
            self.approvals.tell(message)
        elif message.get("t") == "shutdown":
            self.close_all()

    def close_all(self) -> None:
        """Tells every client that the gateway restarts, and closes its socket."""
        head = event_head("shutdown", {"reason": "service restart", "restartExpectedMs": None})
        for connection in self.connections:
            connection.event(head)
            connection.outbox.close(1012, "service restart")

    async def _on_ready(self) -> None:
        self._listening.set()
        for feed in list(self.feeds.values()):
            if feed.position is not None:
                await self._catch_up(feed, feed.position)

    async def _catch_up(self, feed: Feed, position: Position) -> None:
        """Shows what was published while nobody listened."""
        records = await stream_after(feed.session_id, position.text)
        for text, record in records or ():
            await self.take(feed.session_id, position_parse(text), record)
        if records is None:
            feed.position = None
            if feed.view is not None:
                feed.view.is_whole = False

    def _feed(self, key: str) -> Feed:
        feed = self.feeds.get(key)
        if feed is None:
            feed = self.feeds[key] = Feed(key)
        return feed

    def _drop_if_idle(self, feed: Feed) -> None:
        if feed.is_idle and self.feeds.get(feed.key) is feed:
            feed.close()
            del self.feeds[feed.key]

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs `work` for this process, whatever becomes of the connection that asked for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def rows_of(record: dict[str, Any], max_text: int | None = None) -> tuple[dict[str, Any], ...]:
    """The transcript rows of the entries that a record commits."""
    entries = record.get("entries") or ([record["entry"]] if "entry" in record else ())
    run_ids = {record.get("run", ""): record.get("wire", "")}
    limit = {} if max_text is None else {"max_text": max_text}
    return tuple(message_row(entry, run_ids=run_ids, **limit) for entry in entries)


async def _html_rows(record: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return tuple(await rows_with_html(rows_of(record, MAX_TEXT_PAGE)))


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def hub_current() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    hub = _hubs.get(loop)
    if hub is None:
        for old in [other for other in _hubs if other.is_closed()]:
            del _hubs[old]
        hub = _hubs[loop] = Hub()
    return hub
