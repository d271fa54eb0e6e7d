// One conversation: its state, and what a person does to it.

import { one } from "./dom.js";
import { textOf } from "./message.js";
import { newRunId, Outbox } from "./outbox.js";
import { apply, emptyState } from "./store.js";
import { toast } from "./toast.js";
import { askedBy, lastOwn, runningRun } from "./views.js";
import { settings } from "./words.js";

const elementOf = (id) => one(`#m-${CSS.escape(id)}`);
// Without an answer nobody knows whether a message arrived: it goes out again under its id.
const isUnanswered = (error) => error.code === "LOST" || error.code === "TIMEOUT";

/** Changes its state by events and tells `onChange(state, before)`. */
export class Conversation {
  constructor(onChange) {
    this.key = settings.key;
    this.outbox = new Outbox();
    this.onChange = onChange;
    this.state = { ...emptyState(this.key), messages: settings.messages, queue: settings.queue };
  }

  change(event) {
    const before = this.state;
    this.state = apply(before, event);
    if (this.state !== before) this.onChange(this.state, before);
  }

  /** What the gateway tells; while a history is being read it waits, to be put on top of it. */
  happened(event) {
    if (this.held) this.held.push(event);
    else this.change(event);
  }

  /** Takes the stored messages that `read()` gives, then what happened meanwhile. */
  async takeHistory(read) {
    this.held ??= [];
    try {
      this.change({ type: "history", ...(await read()) });
    } finally {
      const held = this.held ?? [];
      this.held = null;
      for (const event of held) this.change(event);
    }
  }

  /** The message goes into the page and the outbox first, then to the gateway. */
  send({ text, files = [], editing = null }) {
    const run = newRunId();
    const params = { sessionKey: this.key, message: text, idempotencyKey: run };
    if (files.length) params.attachments = files.map(({ id }) => ({ id }));
    if (editing) {
      params.expectedLeafEntryId = editing.parent;
      this.change({ type: "branch", leaf: this.lastBefore(editing) });
    }
    this.outbox.put({ run, params, files });
    this.change({ type: "send", pending: { run, text, files, state: "sending" } });
    this.deliver(run);
  }

  /** The message before the one that is replaced; its parent may be a tool's result. */
  lastBefore({ id, parent }) {
    const at = parent ? this.state.messages.findIndex((each) => each.id === id) : 0;
    return at > 0 ? this.state.messages[at - 1].id : "";
  }

  async deliver(run) {
    const item = this.outbox.items.find((each) => each.run === run);
    if (!item || !this.socket.isOpen) return;
    try {
      await this.socket.ask("chat.send", item.params);
      this.outbox.drop(run);
      this.change({ type: "sent", run });
    } catch (error) {
      if (isUnanswered(error)) return;
      this.outbox.drop(run);
      this.change({ type: "refused", run, error: error.message });
    }
  }

  /** Everything that was not confirmed before the connection broke, or the page was loaded. */
  deliverAll() {
    for (const { run, params, files } of this.outbox.of(this.key)) {
      if (!this.state.pending.some((each) => each.run === run)) {
        this.change({
          type: "send",
          pending: { run, text: params.message, files, state: "sending" },
        });
      }
      this.deliver(run);
    }
  }

  resend(message) {
    this.discard(message);
    this.send(message);
  }

  discard({ run }) {
    this.outbox.drop(run);
    this.change({ type: "discard", run });
  }

  /** Stops a run, or what runs now. */
  stop(run = runningRun(this.state)?.id) {
    this.socket
      .ask("chat.abort", { sessionKey: this.key, ...(run && { runId: run }) })
      .catch((error) => toast(error.message, "bad"));
  }

  /** Asks again for the answer `id`: the same message once more, in the same place. */
  regenerate(id) {
    const asked = askedBy(this.state, id);
    if (!asked || runningRun(this.state)) return;
    const files = (asked.files ?? []).filter((file) => file.id);
    this.send({ text: this.textOf(asked), files, editing: { id: asked.id, parent: asked.parent } });
  }

  /** A message of a person as the composer edits it; without an id the last one. */
  forEditing(id) {
    const found = id ? this.state.messages.find((each) => each.id === id) : lastOwn(this.state);
    return found && { ...found, text: this.textOf(found) };
  }

  textOf(message) {
    return message.text ?? textOf(elementOf(message.id));
  }
}
