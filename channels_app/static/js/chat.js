// The chat page: the socket feeds the store, the store is drawn, the composer sends.

import { Composer } from "./composer.js";
import { copyText } from "./copy.js";
import { isTyping, one } from "./dom.js";
import { messageOf, storeEvent } from "./frames.js";
import { pendingShow } from "./pending.js";
import { textOf } from "./message.js";
import { newRunId, Outbox } from "./outbox.js";
import { queueShow } from "./queue.js";
import { sessionsRefresh } from "./sessions.js";
import { Socket } from "./socket.js";
import { apply, emptyState } from "./store.js";
import { connectionShow, pickersConnect, statusSay } from "./surroundings.js";
import { toast } from "./toast.js";
import { Transcript } from "./transcript.js";
import { askedBy, lastOwn, runningRun } from "./views.js";
import { settings } from "./words.js";

const { key } = settings;
const outbox = new Outbox();
const transcript = new Transcript(one("#transcript"), one("#scroll"));
let state = { ...emptyState(key), messages: settings.messages, queue: settings.queue };
transcript.onPending = (element, message) => pendingShow(element, message, { resend, discard });

function change(event) {
  const before = state;
  state = apply(state, event);
  if (state === before) return;
  transcript.show(state);
  if (state.queue !== before.queue) queueShow(state.queue, remove);
  if (state.runs !== before.runs) runsChanged(before);
  one("#chat-empty").hidden = Boolean(state.messages.length || state.pending.length || state.queue.length);
  const chips = one("#chips");
  if (chips) chips.toggleAttribute("data-small", one("#chat-empty").hidden);
}

function runsChanged(before) {
  const [now, then] = [runningRun(state), runningRun(before)];
  composer.running(Boolean(now));
  statusSay(now, then, state);
}

/** The message goes into the page and the outbox first, then to the gateway. */
function send({ text, files = [], editing = null }) {
  const run = newRunId();
  const params = { sessionKey: key, message: text, idempotencyKey: run };
  if (files.length) params.attachments = files.map(({ id }) => ({ id }));
  if (editing) {
    params.expectedLeafEntryId = editing.parent;
    change({ type: "branch", leaf: lastBefore(editing) });
  }
  outbox.put({ run, params, files });
  change({ type: "send", pending: { run, text, files, state: "sending" } });
  transcript.toEnd();
  deliver(run);
}

/** The message before the one that is replaced; its parent may be a tool's result. */
function lastBefore({ id, parent }) {
  if (!parent) return "";
  const at = state.messages.findIndex((each) => each.id === id);
  return at > 0 ? state.messages[at - 1].id : "";
}

async function deliver(run) {
  const item = outbox.items.find((each) => each.run === run);
  if (!item || !socket.isOpen) return;
  try {
    await socket.ask("chat.send", item.params);
    outbox.drop(run);
    change({ type: "sent", run });
  } catch (error) {
    // Without an answer nobody knows: it stays in the outbox and goes out again.
    if (error.code === "LOST" || error.code === "TIMEOUT") return;
    outbox.drop(run);
    change({ type: "refused", run, error: error.message });
  }
}

function resend(message) {
  change({ type: "discard", run: message.run });
  send(message);
}

function discard({ run }) {
  outbox.drop(run);
  change({ type: "discard", run });
}

const remove = (run) => socket.ask("chat.abort", { sessionKey: key, runId: run }).catch((error) => toast(error.message, "bad"));

function stop() {
  const run = runningRun(state);
  socket.ask("chat.abort", { sessionKey: key, ...(run && { runId: run.id }) }).catch((error) => toast(error.message, "bad"));
}

function regenerate(id) {
  const asked = askedBy(state, id);
  const element = asked && one(`#m-${CSS.escape(asked.id)}`);
  if (!element || runningRun(state)) return;
  const files = (asked.files ?? []).filter((file) => file.id);
  send({ text: asked.text ?? textOf(element), files, editing: { id: asked.id, parent: asked.parent } });
}

function edit(message) {
  if (!message) return;
  const element = one(`#m-${CSS.escape(message.id)}`);
  composer.edit({ ...message, text: message.text ?? textOf(element) });
}

async function opened() {
  connectionShow("open");
  await socket.ask("sessions.subscribe", {});
  const after = state.position || undefined;
  const answer = await socket.ask("sessions.messages.subscribe", { key, ...(after && { after }) });
  if (!after || answer.startOver) await historyRead();
  for (const item of outbox.of(key)) {
    if (!state.pending.some((each) => each.run === item.run)) {
      change({ type: "send", pending: { run: item.run, text: item.params.message, files: item.files, state: "sending" } });
    }
    deliver(item.run);
  }
}

async function historyRead() {
  const found = await socket.ask("chat.history", { sessionKey: key, limit: 200 });
  const queue = found.pendingInputs?.items ?? [];
  change({ type: "history", messages: found.messages.map(messageOf), inFlight: found.inFlightRun, queue, position: found.position });
}

function happened(name, payload) {
  if (name === "sessions.changed") {
    sessionsRefresh();
    if (payload.sessionKey === key && payload.reason === "reset") historyRead().catch(() => {});
    if (payload.sessionKey === key && payload.reason === "delete") location.assign("/chat/");
  } else {
    const event = storeEvent(name, payload, key);
    if (event) change(event);
  }
}

function clicked(event) {
  const button = event.target.closest("[data-act]");
  const element = button?.closest(".message");
  if (!element) return;
  const { id } = element.dataset;
  if (button.dataset.act === "copy") copyText(textOf(element), button);
  else if (button.dataset.act === "regenerate") regenerate(id);
  else edit(state.messages.find((each) => each.id === id));
}

const composer = new Composer({ send, stop, lastOwn: () => messageForEditing() });
const messageForEditing = () => {
  const message = lastOwn(state);
  return message && { ...message, text: message.text ?? textOf(one(`#m-${CSS.escape(message.id)}`)) };
};
const socket = new Socket({
  url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`,
  hello: {
    minProtocol: 4,
    maxProtocol: 4,
    client: { id: "webchat-ui", version: settings.version, platform: navigator.platform || "web", mode: "webchat" },
    caps: ["tool-events", "rendered-html", "resume"],
    locale: document.documentElement.lang,
  },
  handlers: {
    event: happened,
    open: () => opened().catch((error) => error.code === "LOST" || toast(error.message, "bad")),
    lost: () => connectionShow("lost"),
    refused: () => connectionShow("refused"),
  },
});

one("#transcript").addEventListener("click", clicked);
one("#to-bottom").addEventListener("click", () => transcript.toEnd());
one("#chips")?.addEventListener("submit", (event) => {
  event.preventDefault();
  send({ text: event.submitter.value });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !isTyping(event.target) && !one("dialog[open]")) {
    event.preventDefault();
    composer.field.focus();
  }
});
for (const name of ["online", "focus"]) addEventListener(name, () => socket.hurry());
pickersConnect((method, params) => socket.ask(method, params));
queueShow(state.queue, remove);
if (!settings.isOlderPage) socket.connect();
