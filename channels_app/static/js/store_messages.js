// Messages in the store: keyed by their entry id, in the order of their branch. Pure.

import { onlyEnded, onlyRunning, withRun } from "./store_runs.js";

/** A stored message, new here; one that is known changes nothing. */
export function message(state, { message: found, run }) {
  if (found.role === "toolResult")
    return { ...state, results: { ...state.results, [found.callId]: found } };
  if (state.messages.some((each) => each.id === found.id)) return state;
  const kept = sameBranch(state.messages, found);
  const runs = kept.length < state.messages.length ? onlyRunning(state.runs) : state.runs;
  const next = { ...state, runs, messages: [...kept, { ...found, run: found.run || run || "" }] };
  if (found.role === "user") return withoutPending(next, found, run);
  // What was thought belongs to the message that stands now.
  return found.role === "assistant" && next.runs[run] ? withRun(next, run, { thinking: "" }) : next;
}

/** The messages that a new one follows: a changed parent means that the rest was replaced. */
function sameBranch(messages, found) {
  if (found.role !== "user" || !messages.length)
    return messages.filter((each) => each.seq < found.seq);
  const parents = found.parent ? messages.findIndex((each) => each.id === found.parent) : -1;
  if (found.parent && parents < 0) return messages;
  return messages.slice(0, parents + 1);
}

function withoutPending(state, found, run) {
  const mine = new Set([run, found.run, ...(state.runs[run]?.wires ?? [])]);
  let pending = state.pending.filter((each) => !mine.has(each.run));
  if (pending.length === state.pending.length) {
    // A message that steers a running turn stands under that turn's id.
    const same = pending.findIndex(
      (each) => each.state !== "failed" && each.text.trim() === found.text.trim(),
    );
    pending = pending.filter((_, index) => index !== same);
  }
  return { ...state, pending };
}

/** Everything stored, read anew, and the turn that is in flight. */
export function history(state, { messages, inFlight, queue = [], position }) {
  const results = {};
  const found = [];
  for (const each of messages) {
    if (each.role === "toolResult") results[each.callId] = each;
    else found.push(each);
  }
  // Pages that a person opened before the answer's first message stay where they are.
  const first = found[0];
  const older = first?.parent ? state.messages.filter((each) => each.seq < first.seq) : [];
  const next = {
    ...state,
    messages: [...older, ...found],
    results: { ...state.results, ...results },
    queue,
    pending: stillPending(state.pending, found, queue),
    runs: onlyEnded(state.runs),
    position: position ?? "",
  };
  if (!inFlight) return next;
  return withRun(next, inFlight.runId, (before) => ({
    ...before,
    state: "running",
    text: inFlight.text ?? "",
    seq: inFlight.seq ?? 0,
    startedAt: inFlight.startedAt ?? before.startedAt,
  }));
}

/** What was confirmed stands in the history or in the queue, or it has ended meanwhile. */
function stillPending(pending, found, queue) {
  const stored = new Set(found.map((each) => each.run));
  const waiting = new Set(queue.map((item) => item.runId));
  return pending.filter(
    (each) => !stored.has(each.run) && (each.state !== "sent" || waiting.has(each.run)),
  );
}
