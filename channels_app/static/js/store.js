// What the chat page knows. Pure: apply(state, event) gives a new state and changes nothing.
// Messages are keyed by their entry id, so that nothing is ever shown twice.

import { isAfter } from "./frames.js";
import { history, message } from "./store_messages.js";
import { asked, compaction, delta, end, onlyRunning, start, thinking, tool } from "./store_runs.js";

/** An empty page of session `key`. */
export const emptyState = (key) => ({
  key,
  messages: [],
  results: {},
  tools: {},
  runs: {},
  pending: [],
  queue: [],
  position: "",
});

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

function queue(state, { waiting, item }) {
  if (waiting) return { ...state, queue: waiting };
  if (!item || state.queue.some((each) => each.runId === item.runId) || state.runs[item.runId])
    return state;
  // An idle session starts at once: one's own message need not visit the queue.
  const isIdle = !Object.values(state.runs).some((run) => run.state === "running");
  if (isIdle && state.pending.some((each) => each.run === item.runId)) return state;
  return { ...state, queue: [...state.queue, item] };
}

const changePending = (state, run, changes) => ({
  ...state,
  pending: state.pending.map((each) => (each.run === run ? { ...each, ...changes } : each)),
});

const HANDLERS = {
  start,
  asked,
  delta,
  thinking,
  compaction,
  tool,
  message,
  end,
  history,
  queue,
  send: (state, { pending }) => ({
    ...state,
    pending: [...state.pending.filter((each) => each.run !== pending.run), pending],
  }),
  sent: (state, { run }) => changePending(state, run, { state: "sent" }),
  refused: (state, { run, error }) => changePending(state, run, { state: "failed", error }),
  discard: (state, { run }) => ({
    ...state,
    pending: state.pending.filter((each) => each.run !== run),
  }),
  branch: (state, { leaf }) => ({
    ...state,
    runs: onlyRunning(state.runs),
    messages: leaf
      ? state.messages.slice(0, state.messages.findIndex((each) => each.id === leaf) + 1)
      : [],
  }),
  earlier: (state, { messages }) => ({
    ...state,
    messages: [
      ...messages.filter((each) => !state.messages.some((known) => known.id === each.id)),
      ...state.messages,
    ],
  }),
};
