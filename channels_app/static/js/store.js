// What the chat page knows. Pure: apply(state, event) gives a new state and changes nothing.
// Messages are keyed by their entry id, so that nothing is ever shown twice.

import { isAfter } from "./frames.js";

/** An empty page of session `key`. */
export const emptyState = (key) => ({ key, messages: [], results: {}, tools: {}, runs: {}, pending: [], queue: [], position: "" });

/** The next state. Events: see the table at the end. */
export function apply(state, event) {
  const { position } = event;
  if (position && event.type !== "history") {
    // Several frames come from one record; only older records have been seen.
    if (position !== state.position && !isAfter(position, state.position)) return state;
    state = { ...state, position };
  }
  return HANDLERS[event.type]?.(state, event) ?? state;
}

function withRun(state, id, changes) {
  const before = state.runs[id] ?? { id, state: "running", seq: 0, text: "", thinking: "", wires: [id] };
  const after = typeof changes === "function" ? changes(before) : { ...before, ...changes };
  return after === before && state.runs[id] ? state : { ...state, runs: { ...state.runs, [id]: after } };
}

const isEnded = (run) => run && run.state !== "running";

function start(state, { run, wires, seq, at }) {
  const known = state.runs[run];
  if (isEnded(known)) return state;
  const next = withRun(state, run, (before) => ({ ...before, wires: wires ?? before.wires, seq: Math.max(before.seq, seq ?? 0), startedAt: before.startedAt ?? at }));
  const taken = next.runs[run].wires;
  return { ...next, queue: next.queue.filter((item) => !taken.includes(item.runId)) };
}

function delta(state, { run, seq, text, isWhole }) {
  return withRun(state, run, (before) => {
    if (isEnded(before)) return before;
    if (isWhole) return { ...before, text, seq: seq ?? before.seq };
    if (seq && seq <= before.seq) return before;
    return { ...before, text: before.text + text, seq: seq ?? before.seq };
  });
}

function thinking(state, { run, seq, text }) {
  return withRun(state, run, (before) => {
    if (isEnded(before) || (seq && seq <= before.seq)) return before;
    return { ...before, thinking: before.thinking + text, seq: seq ?? before.seq };
  });
}

function tool(state, { callId, phase, text, at, isError, milliseconds }) {
  const before = state.tools[callId] ?? { startedAt: at };
  const spent = milliseconds ?? (before.startedAt ? at - before.startedAt : undefined);
  const after = { ...before, ...(text && { text }), ...(phase === "result" && { isDone: true, isError, milliseconds: spent }) };
  return { ...state, tools: { ...state.tools, [callId]: after } };
}

function message(state, { message: found, run }) {
  if (found.role === "toolResult") return { ...state, results: { ...state.results, [found.callId]: found } };
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
  if (found.role !== "user" || !messages.length) return messages.filter((each) => each.seq < found.seq);
  const parents = found.parent ? messages.findIndex((each) => each.id === found.parent) : -1;
  if (found.parent && parents < 0) return messages;
  return messages.slice(0, parents + 1);
}

function withoutPending(state, found, run) {
  const mine = new Set([run, found.run, ...(state.runs[run]?.wires ?? [])]);
  let pending = state.pending.filter((each) => !mine.has(each.run));
  if (pending.length === state.pending.length) {
    // A message that steers a running turn stands under that turn's id.
    const same = pending.findIndex((each) => each.state !== "failed" && each.text.trim() === found.text.trim());
    pending = pending.filter((_, index) => index !== same);
  }
  return { ...state, pending };
}

function end(state, event) {
  const target = event.mergedInto || event.run;
  const asked = state.pending.find((each) => each.run === event.run)?.text;
  const pending = state.pending.filter((each) => each.run !== event.run);
  const queue = state.queue.filter((item) => item.runId !== event.run);
  const changes = { state: event.state, error: event.error, usage: event.usage, model: event.model, endedAt: event.endedAt, asked, internalRun: event.internalRun, entry: event.entry };
  const next = withRun({ ...state, pending, queue }, target, (before) =>
    isEnded(before) ? before : { ...before, ...changes, startedAt: event.startedAt ?? before.startedAt, text: event.text || before.text, thinking: "" },
  );
  return event.state === "final" || event.state === "aborted" ? next : withError(next, target, event);
}

/** An error before the model said anything has no message of its own to stand on. */
function withError(state, run, event) {
  return withRun(state, run, { error: event.error });
}

function history(state, { messages, inFlight, queue, position }) {
  const results = {};
  const found = [];
  for (const each of messages) {
    if (each.role === "toolResult") results[each.callId] = each;
    else found.push(each);
  }
  // Pages that a person opened before the answer's first message stay where they are.
  const first = found[0];
  const older = first?.parent ? state.messages.filter((each) => each.seq < first.seq) : [];
  const next = { ...state, messages: [...older, ...found], results: { ...state.results, ...results }, queue: queue ?? [], runs: onlyEnded(state.runs), position: position ?? "" };
  const withPending = found.filter((each) => each.role === "user").reduce((now, each) => withoutSent(now, each), next);
  if (!inFlight) return withPending;
  return withRun(withPending, inFlight.runId, (before) => ({ ...before, state: "running", text: inFlight.text ?? "", seq: inFlight.seq ?? 0, startedAt: inFlight.startedAt ?? before.startedAt }));
}

// A run whose messages left with their branch must not look like one that never had any.
const onlyRunning = (runs) => Object.fromEntries(Object.entries(runs).filter(([, run]) => !isEnded(run)));
const onlyEnded = (runs) => Object.fromEntries(Object.entries(runs).filter(([, run]) => isEnded(run)));
const withoutSent = (state, found) => ({ ...state, pending: state.pending.filter((each) => each.run !== found.run) });

function queue(state, { waiting, item }) {
  if (waiting) return { ...state, queue: waiting };
  if (!item || state.queue.some((each) => each.runId === item.runId) || state.runs[item.runId]) return state;
  // An idle session starts at once: one's own message need not visit the queue.
  const isIdle = !Object.values(state.runs).some((run) => run.state === "running");
  if (isIdle && state.pending.some((each) => each.run === item.runId)) return state;
  return { ...state, queue: [...state.queue, item] };
}

const changePending = (state, run, changes) => ({ ...state, pending: state.pending.map((each) => (each.run === run ? { ...each, ...changes } : each)) });

const HANDLERS = {
  start, delta, thinking, tool, message, end, history, queue,
  send: (state, { pending }) => ({ ...state, pending: [...state.pending.filter((each) => each.run !== pending.run), pending] }),
  sent: (state, { run }) => changePending(state, run, { state: "sent" }),
  refused: (state, { run, error }) => changePending(state, run, { state: "failed", error }),
  discard: (state, { run }) => ({ ...state, pending: state.pending.filter((each) => each.run !== run) }),
  branch: (state, { leaf }) => ({ ...state, runs: onlyRunning(state.runs), messages: leaf ? state.messages.slice(0, state.messages.findIndex((each) => each.id === leaf) + 1) : [] }),
  earlier: (state, { messages }) => ({ ...state, messages: [...messages.filter((each) => !state.messages.some((known) => known.id === each.id)), ...state.messages] }),
};
