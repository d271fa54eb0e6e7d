"""The proof that nothing was lost or answered twice: every account must balance.

`ledger_check` reads the rows and names each fault. It changes nothing. All kill and soak tests end
with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import redis
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from sessions.lanes import LEASE_MS, lane_key
from sessions.models import Approval, Delivery, Entry, InboundReceipt, InboxItem, Run, ToolCall
from sessions.redis_client import redis_sync
from sessions.stops import everything_stopped

# What is younger than this may be on its way.
GRACE_SECONDS = LEASE_MS / 1000 + 5
OUTCOMES = InboxItem.Outcome
# How the run of a message with this outcome has ended.
_RUN_OUTCOMES: dict[str, str] = {
    **dict.fromkeys(
        (OUTCOMES.ANSWERED, OUTCOMES.MERGED, OUTCOMES.STEERED, OUTCOMES.SUMMARISED),
        Run.Outcome.FINAL,
    ),
    OUTCOMES.STOPPED: Run.Outcome.ABORTED,
    OUTCOMES.EXPLAINED: Run.Outcome.ERROR,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One account that does not balance. `kind` is stable, `text` is for people."""

    kind: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The result: how many messages had which outcome, and every fault."""

    counts: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def clean(self) -> bool:
        """Whether everything balances."""
        return not self.faults


def ledger_check(*, settled: bool = False) -> Ledger:
    """Checks all rows. `settled`: nothing runs any more, so that waiting is a fault too."""
    counts = Counter(InboxItem.objects.values_list("outcome", flat=True))
    counts["waiting"] = counts.pop("", 0)
    checks: list[Callable[[bool], Iterator[Fault]]] = [
        _receipts,
        _waiting,
        _answered_once,
        _runs_answered,
        _in_transcript,
        _open_runs,
        _approvals,
        _tool_calls,
        _orphan_calls,
        _deliveries,
        _lanes,
    ]
    faults = [fault for check in checks for fault in check(settled)]
    return Ledger(dict(counts), tuple(faults))


def _receipts(settled: bool) -> Iterator[Fault]:
    alone = InboundReceipt.objects.filter(item=None, note="")
    for receipt in alone:
        yield Fault("receipt-without-message", str(receipt), "taken, but no message was stored")


def _waiting(settled: bool) -> Iterator[Fault]:
    """Every message waits for somebody who will look after it."""
    for item in InboxItem.objects.filter(outcome="", run__state=Run.State.ENDED):
        yield Fault("message-left-behind", item.wire_id, f"run {item.run_id} ended without it")
    if everything_stopped():
        return
    old = timezone.now() - timedelta(seconds=0 if settled else GRACE_SECONDS)
    items = InboxItem.objects.filter(outcome="", accepted_at__lte=old).select_related("session")
    for item in items:
        open_run = Run.objects.filter(session=item.session).exclude(state=Run.State.ENDED)
        if settled or not open_run.exists():
            yield Fault("message-without-outcome", item.wire_id, f"waits in {item.session.key}")


def _answered_once(settled: bool) -> Iterator[Fault]:
    """A message has one outcome, and its run ended in a way that fits it."""
    ended = InboxItem.objects.exclude(outcome="").select_related("run")
    for item in ended.iterator(chunk_size=1000):
        run = item.run
        if run is None:
            if item.outcome in (OUTCOMES.MERGED, OUTCOMES.STEERED, OUTCOMES.EXPLAINED):
                yield Fault("outcome-without-run", item.wire_id, f"{item.outcome}, but by no run")
        elif run.state != Run.State.ENDED:
            yield Fault("outcome-before-end", item.wire_id, f"{item.outcome}, but its run is open")
        elif run.outcome != _RUN_OUTCOMES.get(item.outcome):
            text = f"{item.outcome}, but run {run.pk} is {run.outcome}"
            yield Fault("outcome-of-another-end", item.wire_id, text)
        elif item.outcome == OUTCOMES.EXPLAINED and not run.error_message:
            yield Fault("explained-without-reason", item.wire_id, f"run {run.pk} gives no reason")
        elif item.outcome == OUTCOMES.STOPPED and not item.detail:
            yield Fault("stopped-by-nobody", item.wire_id, f"run {run.pk} does not say by whom")


def _runs_answered(settled: bool) -> Iterator[Fault]:
    """A run that ended well has said something, and it was for somebody."""
    answers = Entry.objects.filter(run_id=OuterRef("pk"), role="assistant")
    items = InboxItem.objects.filter(run=OuterRef("pk"))
    ended = Run.objects.filter(state=Run.State.ENDED)
    # A compaction that a person asked for is reported, but nobody's answer.
    talking = ended.exclude(items__options__has_key="compact")
    for run in talking.filter(outcome=Run.Outcome.FINAL).exclude(Exists(answers)):
        yield Fault("answered-without-answer", run.pk, "ended well without an entry")
    for run in ended.exclude(Exists(items)):
        yield Fault("run-for-nobody", run.pk, "has no message")


def _in_transcript(settled: bool) -> Iterator[Fault]:
    """Every message a turn took is in the transcript exactly once, and each run answers once."""
    taken = InboxItem.objects.exclude(run=None).exclude(options__has_key="compact")
    entry = Entry.objects.filter(
        transcript_id=OuterRef("run__transcript_id"), entry_id=OuterRef("entry_id"), role="user"
    )
    for item in taken.exclude(Exists(entry)):
        yield Fault("message-not-in-transcript", item.wire_id, "taken by a turn without an entry")
    yield from _doubled_entries(taken)
    finals = (
        Entry.objects.filter(role="assistant", body__stopReason__in=["stop", "length"])
        .exclude(run_id="")
        .values("run_id")
        .annotate(n=Count("id"))
        .filter(n__gt=1)
    )
    for row in finals:
        steered = InboxItem.objects.filter(run_id=row["run_id"], outcome=OUTCOMES.STEERED).count()
        # A plugin may send an answer back for another pass.
        revised = Entry.objects.filter(run_id=row["run_id"], role="hook").count()
        if row["n"] > 1 + steered + revised:
            yield Fault("answered-twice", row["run_id"], f"{row['n']} final answers in one run")


def _doubled_entries(taken: QuerySet[InboxItem]) -> Iterator[Fault]:
    """A run has as many user entries as its messages stand in."""
    asked = Entry.objects.filter(role="user").exclude(run_id="").order_by()
    entries = dict(asked.values_list("run_id").annotate(n=Count("id")))
    wanted = taken.order_by().values_list("run_id").annotate(n=Count("entry_id", distinct=True))
    for run_id, n in wanted:
        if (found := entries.pop(run_id, 0)) > n:
            yield Fault("message-twice", run_id, f"{found} user entries for {n} wanted")
    for run_id, found in entries.items():
        yield Fault("message-twice", run_id, f"{found} user entries, but no message")


def _open_runs(settled: bool) -> Iterator[Fault]:
    """A running run has a lane that somebody renews, or was begun a moment ago."""
    old = timezone.now() - timedelta(seconds=GRACE_SECONDS)
    for run in Run.objects.filter(state=Run.State.RUNNING).select_related("session"):
        if settled:
            yield Fault("run-without-end", run.pk, "still running")
        elif run.started_at < old and not _lane_held(run.session_id) and not everything_stopped():
            yield Fault("run-abandoned", run.pk, "running, but nobody holds its lane")


def _approvals(settled: bool) -> Iterator[Fault]:
    """A parked run waits for something, and a question has somebody who waits for its answer."""
    old = timezone.now() - timedelta(seconds=0 if settled else GRACE_SECONDS)
    pending = Approval.objects.filter(state=Approval.State.PENDING)
    asked = pending.filter(run=OuterRef("pk"))
    parked = Run.objects.filter(state=Run.State.PARKED, parked_at__lt=old)
    for run in parked.exclude(Exists(asked)):
        # A stop or a decision brings it back, unless nothing may run.
        if not everything_stopped() and (settled or not _lane_held(run.session_id)):
            yield Fault("parked-for-nothing", run.pk, "nobody has to decide, and it does not go on")
    for approval in pending.filter(run__state=Run.State.ENDED):
        yield Fault("approval-left-open", approval.pk, f"run {approval.run_id} has ended")
    for approval in pending.filter(expires_at__lt=old):
        yield Fault("approval-overdue", approval.pk, "its time is over, and nobody ended it")


def _lane_held(session_id: str) -> bool:
    try:
        return bool(redis_sync().exists(lane_key(session_id)))
    except (redis.RedisError, OSError):
        return True


def _tool_calls(settled: bool) -> Iterator[Fault]:
    """A call of an ended run is answered, denied or marked interrupted."""
    open_states = [ToolCall.State.PENDING, ToolCall.State.STARTED]
    calls = ToolCall.objects.filter(run__state=Run.State.ENDED, state__in=open_states)
    for call in calls.select_related("run"):
        yield Fault("tool-call-open", call.call_id, f"{call.name} in ended run {call.run_id}")


def _orphan_calls(settled: bool) -> Iterator[Fault]:
    """In every transcript each tool call is answered once, and each result has its call."""
    rows = Entry.objects.filter(role__in=["assistant", "toolResult"]).order_by("transcript", "seq")
    current, balance, found = "", Counter[tuple[str, str]](), list[tuple[str, str, str, int]]()

    def close() -> None:
        found.extend((current, run, call, n) for (run, call), n in balance.items() if n)
        balance.clear()

    for transcript, role, run_id, body in rows.values_list(
        "transcript_id", "role", "run_id", "body"
    ).iterator(chunk_size=1000):
        if transcript != current:
            close()
            current = transcript
        if role == "toolResult":
            balance[run_id, body["toolCallId"]] -= 1
        elif body.get("stopReason") not in ("error", "aborted"):
            calls = (block["id"] for block in body["content"] if block["type"] == "toolCall")
            balance.update((run_id, call) for call in calls)
    close()
    # Asked last: a run that was begun meanwhile is open as well.
    unended = set(Run.objects.exclude(state=Run.State.ENDED).values_list("id", flat=True))
    for transcript, run_id, call, n in found:
        if run_id not in unended:
            text = f"{abs(n)} {'results' if n > 0 else 'calls'} missing in {transcript}"
            yield Fault("orphan-tool-call", f"{run_id} {call}", text)


def _deliveries(settled: bool) -> Iterator[Fault]:
    """Who got an outcome from a run has a receipt; what is not sent has a stated reason."""
    receipt = Delivery.objects.filter(item=OuterRef("pk"))
    missing = InboxItem.objects.exclude(outcome="").exclude(run=None).exclude(Exists(receipt))
    for item in missing:
        yield Fault("reply-without-receipt", item.wire_id, f"outcome {item.outcome}, no delivery")
    doubled = Delivery.objects.values("item_id").annotate(n=Count("id")).filter(n__gt=1)
    for row in doubled.exclude(item=None):
        yield Fault("delivered-twice", str(row["item_id"]), f"{row['n']} deliveries of one message")
    for delivery in Delivery.objects.filter(state=Delivery.State.SENT, receipt=""):
        yield Fault("sent-without-receipt", delivery.pk, "sent, but nothing proves it")
    silent = [Delivery.State.UNKNOWN, Delivery.State.FAILED]
    for delivery in Delivery.objects.filter(state__in=silent, error=""):
        yield Fault("delivery-without-reason", delivery.pk, delivery.state)


def _lanes(settled: bool) -> Iterator[Fault]:
    """No lane outlives its lease; when all is settled none is held."""
    try:
        client = redis_sync()
        for key in client.scan_iter(match="oc:lane:*", count=500):
            if key.endswith(b":dirty"):
                continue
            left = client.pttl(key)
            if left < 0 or left > LEASE_MS:
                yield Fault("lane-without-lease", key.decode(), f"{left} ms left of {LEASE_MS}")
            elif settled:
                yield Fault("lane-held", key.decode(), "held although nothing runs")
    except (redis.RedisError, OSError) as error:
        yield Fault("redis-away", "lanes", str(error))
