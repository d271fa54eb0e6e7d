// Gateway events as events of the store: pure, no document, no socket.

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

/** A transcript row as a message of the store. */
export function messageOf(row) {
  const marks = row.__openclaw ?? {};
  const blocks = typeof row.content === "string" ? [{ type: "text", text: row.content }] : (row.content ?? []);
  const message = {
    id: marks.id,
    seq: marks.seq,
    parent: marks.parentId ?? "",
    role: row.role,
    run: marks.runId ?? "",
    internalRun: marks.internalRunId ?? "",
    text: "",
    html: row.html,
  };
  if (row.role === "toolResult") return { ...message, callId: row.toolCallId, isError: Boolean(row.isError), text: resultText(blocks) };
  if (row.role === "user") return { ...message, ...userParts(blocks) };
  return {
    ...message,
    text: blocks.filter((block) => block.type === "text").map((block) => block.text).join(""),
    thinking: blocks.filter((block) => block.type === "thinking").map((block) => block.thinking ?? "").filter(Boolean).join("\n\n"),
    calls: blocks.filter((block) => block.type === "toolCall").map(({ id, name, arguments: args }) => ({ id, name, args })),
    usage: row.usage,
    model: row.model,
    error: row.stopReason === "error" ? (row.errorMessage ?? "") : "",
    isStopped: row.stopReason === "aborted",
  };
}

const GATHERED = "[Queued messages while agent was busy]";
const GATHERED_MARK = /\n\n---\nQueued #\d+(?: \(from [^\n]*\))?\n/;
const INLINED = /^<file name="([^"\n]*)">\n/;
const COPIED = /^\[Attached file (.+) \([^()]*, \d+ bytes\) is at inbox\/\S+ in/;

function userParts(blocks) {
  const files = [];
  const texts = [];
  for (const block of blocks) {
    const name = block.type === "text" && (INLINED.exec(block.text) ?? COPIED.exec(block.text))?.[1];
    if (block.type === "image") files.push({ name: block.fileName ?? "", id: block.artifactId ?? "" });
    else if (name) files.push({ name, id: "" });
    else texts.push(block.text ?? "");
  }
  return { text: spokenText(texts.join("\n")), files };
}

/** What a person said, without the lines that a turn adds around gathered messages. */
export function spokenText(text) {
  if (!text.startsWith(GATHERED)) return text;
  const parts = text.slice(GATHERED.length).split(GATHERED_MARK);
  return parts.map((part) => part.trim()).filter(Boolean).join("\n\n");
}

/** The text of a tool's result: its text blocks, other kinds by name. */
export function resultText(blocks) {
  if (typeof blocks === "string") return blocks;
  return (blocks ?? []).map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

const CHAT = {
  status: (p) => ({ type: "start", run: p.runId, wires: p.runIds ?? [p.runId], seq: p.seq }),
  delta: (p) => ({ type: "delta", run: p.runId, seq: p.seq, text: p.deltaText ?? "", isWhole: Boolean(p.replace) }),
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
    startedAt: p.startedAt,
    endedAt: p.endedAt,
  };
}

const AGENT = {
  lifecycle: (p) => (p.data.phase === "start" ? { type: "start", run: p.runId, seq: p.seq, at: p.data.startedAt } : null),
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
  if (name === "session.message") return { type: "message", run: payload.runId, message: messageOf(payload.message) };
  if (name === "session.queue") return { type: "queue", waiting: payload.waiting, item: payload.item };
  return null;
}
