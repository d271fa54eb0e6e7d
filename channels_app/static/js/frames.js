// Gateway events as events of the store: pure, no document, no socket.

import { messageOf, resultText } from "./rows.js";

/** Whether position `a` is news after `b`; positions read "<epoch>:<ms>-<n>". */
export function isAfter(a, b) {
  if (!a || !b) return true;
  const [epochA, idA] = split(a);
  const [epochB, idB] = split(b);
  if (epochA !== epochB) return true;
  return idA[0] > idB[0] || (idA[0] === idB[0] && idA[1] > idB[1]);
}

function split(position) {
  const at = position.indexOf(":");
  const [time, number] = position.slice(at + 1).split("-");
  return [position.slice(0, at), [Number(time), Number(number ?? 0)]];
}

const CHAT = {
  status: (p) => ({ type: "start", run: p.runId, wires: p.runIds ?? [p.runId], seq: p.seq }),
  delta: (p) => ({
    type: "delta",
    run: p.runId,
    seq: p.seq,
    text: p.deltaText ?? "",
    isWhole: Boolean(p.replace),
  }),
  final: (p) => ending(p, "final"),
  aborted: (p) => ending(p, "aborted"),
  error: (p) => ending(p, "error"),
};

function ending(p, state) {
  return {
    type: "end",
    run: p.runId,
    state,
    text: resultText(p.message?.content),
    error: p.errorMessage ?? "",
    mergedInto: p.mergedInto ?? "",
    entry: p.entryId ?? "",
    internalRun: p.internalRunId ?? "",
    usage: p.usage ?? null,
    model: p.model ?? "",
    trace: p.traceLine ?? "",
    startedAt: p.startedAt,
    endedAt: p.endedAt,
  };
}

const AGENT = {
  lifecycle: (p) =>
    p.data.phase === "start"
      ? { type: "start", run: p.runId, seq: p.seq, at: p.data.startedAt }
      : null,
  compaction: (p) => ({ type: "compaction", run: p.runId, isRunning: p.data.phase === "start" }),
  thinking: (p) => ({ type: "thinking", run: p.runId, seq: p.seq, text: p.data.delta ?? "" }),
  tool: (p) => ({
    type: "tool",
    run: p.runId,
    phase: p.data.phase,
    callId: p.data.toolCallId,
    at: p.ts,
    text: resultText((p.data.partialResult ?? p.data.result)?.content),
    isError: Boolean(p.data.isError),
    milliseconds: p.data.durationMs,
  }),
};

/** The store's event for a gateway event of session `key`; null for what a page does not show. */
export function storeEvent(name, payload, key) {
  if (payload.sessionKey !== key) return null;
  const event = translated(name, payload);
  return event && { ...event, position: payload.position };
}

function translated(name, payload) {
  if (name === "chat") return CHAT[payload.state]?.(payload) ?? null;
  if (name === "agent") return AGENT[payload.stream]?.(payload) ?? null;
  if (name === "session.message")
    return { type: "message", run: payload.runId, message: messageOf(payload.message) };
  if (name === "session.queue")
    return { type: "queue", waiting: payload.waiting, item: payload.item };
  return null;
}
