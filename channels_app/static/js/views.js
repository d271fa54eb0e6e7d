// What follows from the store's state: pure readings of it.

/** The run that is being answered now, or undefined. */
export const runningRun = (state) =>
  Object.values(state.runs).find((run) => run.state === "running");

/** Text of a running turn that stands in no message yet. */
export function liveText(state, run) {
  const committed = state.messages
    .filter((each) => each.run === run.id && each.role === "assistant" && each.text)
    .map((each) => each.text)
    .join("\n\n");
  return run.text.slice(committed.length).replace(/^\n+/, "");
}

/** How a tool call stands: state running, waiting, done or failed, its text and its time. */
export function callState(state, call, run) {
  const live = state.tools[call.id] ?? {};
  const result = state.results[call.id];
  const isRunning = state.runs[run]?.state === "running";
  if (result)
    return {
      state: result.isError ? "failed" : "done",
      text: result.text,
      milliseconds: live.milliseconds,
    };
  if (live.isDone)
    return {
      state: live.isError ? "failed" : "done",
      text: live.text ?? "",
      milliseconds: live.milliseconds,
    };
  return {
    state: isRunning || !state.runs[run] ? (live.isWaiting ? "waiting" : "running") : "failed",
    text: live.text ?? "",
    startedAt: live.startedAt,
  };
}

/** Messages that a person sent and that neither stand in the transcript nor wait in the queue. */
export function shownPending(state) {
  const waiting = new Set(state.queue.map((item) => item.runId));
  return state.pending.filter((each) => !waiting.has(each.run));
}

/** The last message of a person, for editing. */
export const lastOwn = (state) => state.messages.findLast((each) => each.role === "user");

/** The message of a person that an answer belongs to. */
export function askedBy(state, id) {
  const at = state.messages.findIndex((each) => each.id === id);
  const before = state.messages.slice(0, at + 1);
  const found = before.findLast((each) => each.role === "user" || each.kind === "wake");
  // What an event began, nobody asked for.
  return found?.role === "user" ? found : undefined;
}

/** Whether `id` is the last message of its run: there the run's foot stands. */
export function isLastOfRun(state, message) {
  return (
    state.messages.findLast((each) => each.run === message.run && each.role === "assistant")?.id ===
    message.id
  );
}
