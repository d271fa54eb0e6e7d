// Transcript rows as messages of the store: pure.

/** A transcript row as a message of the store. */
export function messageOf(row) {
  const marks = row.__openclaw ?? {};
  const blocks =
    typeof row.content === "string" ? [{ type: "text", text: row.content }] : (row.content ?? []);
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
  if (row.role === "toolResult")
    return {
      ...message,
      callId: row.toolCallId,
      isError: Boolean(row.isError),
      text: resultText(blocks),
    };
  if (row.kind === "compaction")
    return { ...message, kind: row.kind, of: row.details?.kind ?? "", text: row.summary ?? "" };
  // A turn that nobody wrote for: what it was told is a line of the gateway.
  if (row.role === "user" && row.wake)
    return { ...message, role: "notice", kind: "wake", text: row.said ?? "" };
  if (row.role === "user") return { ...message, ...userParts(blocks), ...said(row) };
  return {
    ...message,
    text: blocks
      .filter((block) => block.type === "text")
      .map((block) => block.text)
      .join(""),
    thinking: blocks
      .filter((block) => block.type === "thinking")
      .map((block) => block.thinking ?? "")
      .filter(Boolean)
      .join("\n\n"),
    calls: blocks
      .filter((block) => block.type === "toolCall")
      .map(({ id, name, arguments: args }) => ({ id, name, args })),
    usage: row.usage,
    model: row.model,
    error: row.stopReason === "error" ? (row.errorMessage ?? "") : "",
    isStopped: row.stopReason === "aborted",
  };
}

/** What a person said, where the model reads other words around it. */
const said = (row) => (typeof row.said === "string" ? { text: spokenText(row.said) } : {});

const GATHERED = "[Queued messages while agent was busy]";
const GATHERED_MARK = /\n\n---\nQueued #\d+(?: \(from [^\n]*\))?\n/;
const INLINED = /^<file name="([^"\n]*)">\n/;
const COPIED = /^\[Attached file (.+) \([^()]*, \d+ bytes\) is at inbox\/\S+ in/;

function userParts(blocks) {
  const files = [];
  const texts = [];
  for (const block of blocks) {
    const name =
      block.type === "text" && (INLINED.exec(block.text) ?? COPIED.exec(block.text))?.[1];
    if (block.type === "image")
      files.push({ name: block.fileName ?? "", id: block.artifactId ?? "" });
    else if (name) files.push({ name, id: "" });
    else texts.push(block.text ?? "");
  }
  return { text: spokenText(texts.join("\n")), files };
}

/** What a person said, without the lines that a turn adds around gathered messages. */
export function spokenText(text) {
  if (!text.startsWith(GATHERED)) return text;
  const parts = text.slice(GATHERED.length).split(GATHERED_MARK);
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n\n");
}

/** The text of a tool's result: its text blocks, other kinds by name. */
export function resultText(blocks) {
  if (typeof blocks === "string") return blocks;
  return (blocks ?? [])
    .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
    .join("\n");
}
