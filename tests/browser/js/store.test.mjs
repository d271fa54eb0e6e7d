// The store: events in, state out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { apply, emptyState } from "../../../channels_app/static/js/store.js";
import {
  callState,
  liveText,
  runningRun,
  shownPending,
} from "../../../channels_app/static/js/views.js";

const user = (id, seq, text, more = {}) => ({
  type: "message",
  run: more.run ?? "r1",
  message: { id, seq, role: "user", run: more.run ?? "r1", text, parent: more.parent ?? "" },
});
const answer = (id, seq, text, more = {}) => ({
  type: "message",
  run: "r1",
  message: { id, seq, role: "assistant", run: "r1", text, calls: [], ...more },
});
const result = (callId, text, isError = false) => ({
  type: "message",
  run: "r1",
  message: { id: `t-${callId}`, seq: 9, role: "toolResult", callId, text, isError },
});
const after = (...events) => events.reduce(apply, emptyState("agent:main:main"));
const ids = (state) => state.messages.map((message) => message.id);

test("it works", () => {
  const state = after(
    { type: "send", pending: { run: "r1", text: "hi", state: "sending" } },
    { type: "sent", run: "r1" },
    { type: "start", run: "r1", wires: ["r1"], seq: 1 },
    user("a", 1, "hi"),
    { type: "delta", run: "r1", seq: 3, text: "Hel" },
    { type: "delta", run: "r1", seq: 4, text: "lo" },
    answer("b", 2, "Hello", { parent: "a" }),
    { type: "end", run: "r1", state: "final", text: "Hello", endedAt: 5 },
  );

  assert.deepEqual(ids(state), ["a", "b"]);
  assert.deepEqual(state.pending, []);
  assert.equal(runningRun(state), undefined);
  assert.equal(state.runs.r1.state, "final");
});

test("apply changes nothing that was given to it", () => {
  const before = after({ type: "start", run: "r1", seq: 1 }, user("a", 1, "hi"));
  const copy = structuredClone(before);

  apply(before, { type: "delta", run: "r1", seq: 5, text: "x" });
  apply(before, answer("b", 2, "x"));

  assert.deepEqual(before, copy);
});

test("a message that comes twice is shown once", () => {
  const once = after(user("a", 1, "hi"), answer("b", 2, "yes"));

  assert.equal(apply(once, answer("b", 2, "yes")), once);
});

test("a delta that was replayed is not added again", () => {
  const state = after(
    { type: "start", run: "r1", seq: 1 },
    { type: "delta", run: "r1", seq: 2, text: "one " },
    { type: "delta", run: "r1", seq: 3, text: "two" },
    { type: "delta", run: "r1", seq: 2, text: "one " },
    { type: "delta", run: "r1", seq: 3, text: "two" },
  );

  assert.equal(state.runs.r1.text, "one two");
});

test("records at or before the known position are skipped, those of a new epoch are not", () => {
  const state = after({ type: "start", run: "r1", seq: 1, position: "e1:100-1" });

  assert.equal(
    apply(state, { type: "delta", run: "r1", seq: 2, text: "old", position: "e1:99-5" }),
    state,
  );
  assert.equal(
    apply(state, { type: "delta", run: "r1", seq: 2, text: "new", position: "e1:100-2" }).runs.r1
      .text,
    "new",
  );
  assert.equal(
    apply(state, { type: "delta", run: "r1", seq: 2, text: "other", position: "e2:1-0" }).runs.r1
      .text,
    "other",
  );
});

test("the live text is what no stored message holds yet", () => {
  const state = after(
    { type: "start", run: "r1", seq: 1 },
    user("a", 1, "hi"),
    { type: "delta", run: "r1", seq: 2, text: "First." },
    answer("b", 2, "First.", { calls: [{ id: "c1", name: "exec", args: {} }] }),
    { type: "delta", run: "r1", seq: 5, text: "\n\n" },
    { type: "delta", run: "r1", seq: 6, text: "Second" },
  );

  assert.equal(liveText(state, state.runs.r1), "Second");
});

test("a run in flight after a reload goes on where it was", () => {
  const message = answer("b", 2, "First.").message;
  const state = after(
    {
      type: "history",
      messages: [user("a", 1, "hi").message, message],
      inFlight: { runId: "r1", text: "First.\n\nSec", seq: 7 },
      queue: [],
    },
    { type: "delta", run: "r1", seq: 7, text: "c" },
    { type: "delta", run: "r1", seq: 8, text: "ond" },
  );

  assert.equal(liveText(state, state.runs.r1), "Second");
});

test("a worker that takes over begins the text anew", () => {
  const state = after(
    { type: "start", run: "r1", seq: 1 },
    { type: "delta", run: "r1", seq: 9, text: "lost tail" },
    { type: "delta", run: "r1", seq: 2, text: "kept", isWhole: true },
    { type: "delta", run: "r1", seq: 3, text: " on" },
  );

  assert.equal(state.runs.r1.text, "kept on");
});

test("nothing starts an ended run again", () => {
  const ended = after(
    { type: "start", run: "r1", seq: 1 },
    { type: "end", run: "r1", state: "aborted", text: "part" },
  );

  assert.equal(apply(ended, { type: "start", run: "r1", seq: 1 }), ended);
  assert.equal(
    apply(ended, { type: "delta", run: "r1", seq: 99, text: "late" }).runs.r1.text,
    "part",
  );
});

test("tool calls run, then are done or failed", () => {
  const call = { id: "c1", name: "exec", args: {} };
  let state = after({ type: "start", run: "r1", seq: 1 }, answer("b", 2, "", { calls: [call] }));
  assert.equal(callState(state, call, "r1").state, "running");

  state = apply(state, { type: "tool", run: "r1", callId: "c1", phase: "start", at: 100 });
  state = apply(state, {
    type: "tool",
    run: "r1",
    callId: "c1",
    phase: "update",
    text: "half",
    at: 110,
  });
  assert.equal(callState(state, call, "r1").text, "half");

  state = apply(state, {
    type: "tool",
    run: "r1",
    callId: "c1",
    phase: "result",
    text: "whole",
    at: 140,
  });
  state = apply(state, result("c1", "whole", true));
  assert.deepEqual(callState(state, call, "r1"), {
    state: "failed",
    text: "whole",
    milliseconds: 40,
  });
});

test("a call without a result is failed once its run has ended", () => {
  const call = { id: "c1", name: "exec", args: {} };
  const state = after({ type: "start", run: "r1", seq: 1 }, answer("b", 2, "", { calls: [call] }), {
    type: "end",
    run: "r1",
    state: "error",
    error: "no",
  });

  assert.equal(callState(state, call, "r1").state, "failed");
});

test("messages behind a running turn wait in the queue, not in the transcript", () => {
  const state = after(
    { type: "start", run: "r1", wires: ["r1"], seq: 1 },
    { type: "send", pending: { run: "r2", text: "next", state: "sending" } },
    { type: "queue", item: { runId: "r2", text: "next" } },
  );
  assert.deepEqual(shownPending(state), []);

  const gathered = [
    { type: "end", run: "r1", state: "final" },
    { type: "start", run: "r3", wires: ["r3", "r2"], seq: 1 },
    user("c", 3, "joined", { run: "r3", parent: "b" }),
  ].reduce(apply, state);
  assert.deepEqual(gathered.queue, []);
  assert.deepEqual(gathered.pending, []);
});

test("one's own message to an idle session never visits the queue", () => {
  const state = after(
    { type: "send", pending: { run: "r1", text: "hi", state: "sending" } },
    { type: "queue", item: { runId: "r1", text: "hi" } },
  );

  assert.equal(shownPending(state).length, 1);
});

test("a message that steers a running turn leaves the pending ones by its text", () => {
  const state = after(
    { type: "start", run: "r1", wires: ["r1"], seq: 1 },
    { type: "send", pending: { run: "r2", text: "faster ", state: "sent" } },
    user("d", 4, "faster", { parent: "c" }),
  );

  assert.deepEqual(state.pending, []);
});

test("an edited message takes the place of what came after its parent", () => {
  const state = after(
    user("a", 1, "one"),
    answer("b", 2, "1"),
    user("c", 3, "two", { parent: "b" }),
    answer("d", 4, "2"),
    user("e", 5, "two!", { parent: "b", run: "r9" }),
  );

  assert.deepEqual(ids(state), ["a", "b", "e"]);
});

test("an edited first message leaves nothing of the old branch", () => {
  const state = after(
    user("a", 1, "one"),
    answer("b", 2, "1"),
    user("c", 3, "one!", { run: "r9" }),
  );

  assert.deepEqual(ids(state), ["c"]);
});

test("history keeps older pages and forgets runs that it does not name", () => {
  const older = after(
    { type: "earlier", messages: [user("a", 1, "first").message] },
    user("b", 2, "second", { parent: "a" }),
    { type: "start", run: "gone", seq: 1 },
    { type: "history", messages: [user("b", 2, "second", { parent: "a" }).message], queue: [] },
  );

  assert.deepEqual(ids(older), ["a", "b"]);
  assert.equal(runningRun(older), undefined);
});

test("a refused message says so and can be thrown away", () => {
  const refused = after(
    { type: "send", pending: { run: "r1", text: "x", state: "sending" } },
    { type: "refused", run: "r1", error: "no" },
  );
  assert.equal(refused.pending[0].error, "no");

  assert.deepEqual(apply(refused, { type: "discard", run: "r1" }).pending, []);
});

test("a history sets the position, also to one of an earlier moment", () => {
  const state = after(
    { type: "start", run: "r1", seq: 1, position: "e1:100-1" },
    { type: "history", messages: [], queue: [], position: "e1:90-1" },
  );

  assert.equal(state.position, "e1:90-1");
});

test("a run whose messages were replaced does not come back as an answer without one", () => {
  const ended = after(
    { type: "start", run: "r1", seq: 1 },
    user("a", 1, "one"),
    answer("b", 2, "1"),
    { type: "end", run: "r1", state: "final", text: "1" },
  );

  assert.deepEqual(apply(ended, { type: "branch", leaf: "" }).runs, {});
  assert.deepEqual(apply(ended, user("c", 3, "one", { run: "r2" })).runs, {});
});

test("a confirmed message that a history does not name has ended", () => {
  const pending = (run, state) => ({ type: "send", pending: { run, text: "x", state } });
  const state = after(
    pending("gone", "sent"),
    pending("waits", "sent"),
    pending("unknown", "sending"),
    { type: "history", messages: [], queue: [{ runId: "waits", text: "x" }] },
  );

  assert.deepEqual(
    state.pending.map((each) => each.run),
    ["waits", "unknown"],
  );
});

test("a compaction shows while it runs, and its summary stands in the transcript", () => {
  const begun = after(
    { type: "start", run: "r1", wires: ["r1"], seq: 1 },
    user("a", 1, "hi"),
    { type: "compaction", run: "r1", isRunning: true },
  );
  assert.equal(begun.runs.r1.isCompacting, true);
  const done = [
    {
      type: "message",
      run: "r1",
      message: { id: "c", seq: 2, role: "notice", kind: "compaction", text: "short" },
    },
    { type: "compaction", run: "r1", isRunning: false },
    answer("b", 3, "Hello", { parent: "c" }),
  ].reduce(apply, begun);
  assert.equal(done.runs.r1.isCompacting, false);
  assert.deepEqual(ids(done), ["a", "c", "b"]);
  const ended = apply(done, { type: "end", run: "r1", state: "final", text: "Hello" });
  assert.equal(apply(ended, { type: "compaction", run: "r1", isRunning: true }), ended);
});

test("a call that waits for a person says so until it ended", () => {
  const state = [
    { type: "start", run: "r", wires: ["r"] },
    { type: "asked", callId: "c", isWaiting: true },
  ].reduce(apply, emptyState("k"));
  assert.equal(callState(state, { id: "c" }, "r").state, "waiting");
  assert.equal(apply(state, { type: "asked", callId: "c", isWaiting: true }), state);
  const decided = apply(state, { type: "asked", callId: "c", isWaiting: false });
  assert.equal(callState(decided, { id: "c" }, "r").state, "running");
  const ended = apply(state, { type: "tool", callId: "c", phase: "result", text: "x" });
  assert.equal(callState(ended, { id: "c" }, "r").state, "done");
});
