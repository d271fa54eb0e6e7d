// The chat page: the socket feeds the conversation, its state is drawn, the composer sends.

import { Approvals } from "./approvals.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { contextShow } from "./context.js";
import { controlSocket } from "./control.js";
import { copyText } from "./copy.js";
import { isTyping, one } from "./dom.js";
import { earlierConnect } from "./earlier.js";
import { storeEvent } from "./frames.js";
import { textOf } from "./message.js";
import { pendingShow } from "./pending.js";
import { pickersConnect, pickersShow } from "./pickers.js";
import { queueShow } from "./queue.js";
import { messageOf } from "./rows.js";
import { sessionsRefresh } from "./sessions.js";
import { connectionShow, emptyShow, statusSay } from "./surroundings.js";
import { toast } from "./toast.js";
import { Transcript } from "./transcript.js";
import { runningRun } from "./views.js";
import { settings, words } from "./words.js";

const { key } = settings;
const transcript = new Transcript(one("#transcript"), one("#scroll"));
const conversation = new Conversation(changed);
const composer = new Composer({
  send: (message) => {
    approvals.clear();
    conversation.send(message);
    transcript.view.toEnd();
  },
  stop: () => conversation.stop(),
  lastOwn: () => conversation.forEditing(),
});
const approvals = new Approvals({
  root: one("#approvals"),
  key,
  words,
  say: (text) => {
    one("#announce").textContent = text;
  },
  leave: () => composer.field.focus({ preventScroll: true }),
  waits: (callId, isWaiting) => conversation.change({ type: "asked", callId, isWaiting }),
});
const socket = controlSocket({
  version: settings.version,
  caps: ["tool-events", "rendered-html", "resume"],
  handlers: {
    event: happened,
    open: () => opened().catch((error) => error.code === "LOST" || toast(error.message, "bad")),
    lost: () => connectionShow("lost"),
    refused: () => connectionShow("refused"),
  },
});
conversation.socket = socket;
transcript.onPending = (element, message) => pendingShow(element, message, conversation);

function changed(state, before) {
  transcript.show(state);
  emptyShow(!state.messages.length && !state.pending.length && !state.queue.length);
  if (state.queue !== before.queue) queueShow(state.queue, (run) => conversation.stop(run));
  if (state.runs === before.runs) return;
  const [now, then] = [runningRun(state), runningRun(before)];
  composer.running(Boolean(now));
  statusSay(now, then, state);
}

async function opened() {
  await socket.ask("sessions.subscribe", {});
  const after = conversation.state.position;
  const answer = await socket.ask("sessions.messages.subscribe", { key, ...(after && { after }) });
  if (!after || answer.startOver) await historyRead();
  conversation.deliverAll();
  approvals.catchUp();
  connectionShow("open");
}

const historyRead = () =>
  conversation.takeHistory(async () => {
    const found = await socket.ask("chat.history", { sessionKey: key, limit: 200 });
    contextShow(found.sessionInfo);
    if (found.sessionId) pickersShow(found.sessionInfo);
    return {
      messages: found.messages.map(messageOf),
      inFlight: found.inFlightRun,
      queue: found.pendingInputs?.items ?? [],
      position: found.position,
    };
  });

function happened(name, payload) {
  if (name === "sessions.changed") return sessionChanged(payload);
  if (name.startsWith("exec.approval.")) return approvals.happened(name, payload);
  const event = storeEvent(name, payload, key);
  if (event) conversation.happened(event);
}

function sessionChanged({ sessionKey, reason, session }) {
  sessionsRefresh();
  if (sessionKey !== key) return;
  contextShow(session);
  pickersShow(session);
  if (reason === "reset") historyRead().catch(() => {});
  if (reason === "delete") location.assign("/chat/");
}

function acted(event) {
  const button = event.target.closest("[data-act]");
  const element = button?.closest(".message");
  if (!element) return;
  const { id } = element.dataset;
  if (button.dataset.act === "copy") copyText(textOf(element), button);
  else if (button.dataset.act === "regenerate") conversation.regenerate(id);
  else composer.edit(conversation.forEditing(id));
}

one("#transcript").addEventListener("click", acted);
one("#chips")?.addEventListener("submit", (event) => {
  event.preventDefault();
  conversation.send({ text: event.submitter.value });
  transcript.view.toEnd();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || isTyping(event.target) || one("dialog[open]")) return;
  event.preventDefault();
  composer.field.focus();
});
for (const name of ["online", "focus"]) addEventListener(name, () => socket.hurry());
pickersConnect((method, params) => socket.ask(method, params));
queueShow(conversation.state.queue, (run) => conversation.stop(run));
earlierConnect(conversation, transcript);
socket.connect();
