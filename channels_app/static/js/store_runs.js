// Runs in the store: how a turn begins, speaks, works and ends. Pure.

/** Whether a run is over. */
export const isEnded = (run) => run && run.state !== "running";
/** The running ones. A run whose messages left with their branch must not look like one that never
 * had any. */
export const onlyRunning = (runs) =>
  Object.fromEntries(Object.entries(runs).filter(([, run]) => !isEnded(run)));

/** Those that are over. */
export const onlyEnded = (runs) =>
  Object.fromEntries(Object.entries(runs).filter(([, run]) => isEnded(run)));

/** The state with a run changed, or made. */
export function withRun(state, id, changes) {
  const before = state.runs[id] ?? {
    id,
    state: "running",
    seq: 0,
    text: "",
    thinking: "",
    wires: [id],
  };
  const after = typeof changes === "function" ? changes(before) : { ...before, ...changes };
  return after === before && state.runs[id]
    ? state
    : { ...state, runs: { ...state.runs, [id]: after } };
}

/** A turn begins, or its first message is known to be taken. */
export function start(state, { run, wires, seq, at }) {
  const known = state.runs[run];
  if (isEnded(known)) return state;
  const next = withRun(state, run, (before) => ({
    ...before,
    wires: wires ?? before.wires,
    seq: Math.max(before.seq, seq ?? 0),
    startedAt: before.startedAt ?? at,
  }));
  const taken = next.runs[run].wires;
  return { ...next, queue: next.queue.filter((item) => !taken.includes(item.runId)) };
}

/** More of an answer's text; `isWhole` begins it anew. */
export function delta(state, { run, seq, text, isWhole }) {
  return withRun(state, run, (before) => {
    if (isEnded(before)) return before;
    if (isWhole) return { ...before, text, seq: seq ?? before.seq };
    if (seq && seq <= before.seq) return before;
    return { ...before, text: before.text + text, seq: seq ?? before.seq };
  });
}

/** More of what the model thinks. */
export function thinking(state, { run, seq, text }) {
  return withRun(state, run, (before) => {
    if (isEnded(before) || (seq && seq <= before.seq)) return before;
    return { ...before, thinking: before.thinking + text, seq: seq ?? before.seq };
  });
}

/** Older messages are being summarised, or that is over. */
export function compaction(state, { run, isRunning }) {
  return withRun(state, run, (before) =>
    isEnded(before) ? before : { ...before, isCompacting: isRunning },
  );
}

/** A tool call started, said something or ended. */
export function tool(state, { callId, phase, text, at, isError, milliseconds }) {
  const before = state.tools[callId] ?? { startedAt: at };
  const spent = milliseconds ?? (before.startedAt ? at - before.startedAt : undefined);
  const after = {
    ...before,
    ...(text && { text }),
    ...(phase === "result" && { isDone: true, isError, milliseconds: spent }),
  };
  return { ...state, tools: { ...state.tools, [callId]: after } };
}

/** A tool call waits for a person, or does so no longer. */
export function asked(state, { callId, isWaiting }) {
  const before = state.tools[callId] ?? {};
  if (Boolean(before.isWaiting) === isWaiting) return state;
  return { ...state, tools: { ...state.tools, [callId]: { ...before, isWaiting } } };
}

/** A run id has its one end. */
export function end(state, event) {
  const target = event.mergedInto || event.run;
  const asked = state.pending.find((each) => each.run === event.run)?.text;
  const pending = state.pending.filter((each) => each.run !== event.run);
  const queue = state.queue.filter((item) => item.runId !== event.run);
  const changes = {
    state: event.state,
    error: event.error,
    usage: event.usage,
    model: event.model,
    trace: event.trace,
    endedAt: event.endedAt,
    asked,
    internalRun: event.internalRun,
    entry: event.entry,
  };
  return withRun({ ...state, pending, queue }, target, (before) =>
    isEnded(before)
      ? before
      : {
          ...before,
          ...changes,
          startedAt: event.startedAt ?? before.startedAt,
          text: event.text || before.text,
          thinking: "",
        },
  );
}
