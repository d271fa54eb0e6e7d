// The field that messages are written in.

import { attachmentsMake } from "./attachments.js";
import { Commands } from "./commands.js";
import { one } from "./dom.js";

const TALLEST = 0.4;

/** Writes, edits and stops. Handlers: send({text, files, editing}), stop(), lastOwn(). */
export class Composer {
  constructor(handlers) {
    this.handlers = handlers;
    this.form = one("#composer");
    this.field = one("#composer-text");
    this.sendButton = one("#send");
    this.stopButton = one("#stop");
    this.editing = null;
    this.isRunning = false;
    this.files = attachmentsMake(() => this.update());
    this.commands = new Commands(one("#commands"), this.field);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.field.addEventListener("input", () => this.update());
    this.field.addEventListener("paste", (event) => this.files.pasted(event));
    this.stopButton.addEventListener("click", () => this.stop());
    one("#editing-end").addEventListener("click", () => this.editEnd());
    document.addEventListener("keydown", (event) => this.escaped(event));
    this.update();
    if (matchMedia("(hover: hover)").matches) this.field.focus({ preventScroll: true });
  }

  pressed(event) {
    // While an input method composes, Enter belongs to it (229 is what Safari still reports).
    if (event.isComposing || event.keyCode === 229 || this.commands.pressed(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "ArrowUp" && !this.field.value) {
      const message = this.handlers.lastOwn();
      if (!message) return;
      event.preventDefault();
      this.edit(message);
    }
  }

  escaped(event) {
    if (
      event.key !== "Escape" ||
      event.defaultPrevented ||
      event.isComposing ||
      one("dialog[open]")
    )
      return;
    if (this.editing) this.editEnd();
    else if (this.isRunning) this.stop();
  }

  async send() {
    const text = this.field.value.trim();
    if (this.isSending || (!text && !this.files.items.length)) return;
    const { editing } = this;
    this.isSending = true;
    this.field.value = "";
    this.editEnd();
    try {
      const files = await this.files.take();
      if (text || files.length) this.handlers.send({ text, files, editing });
    } finally {
      this.isSending = false;
      this.update();
      this.field.focus();
    }
  }

  stop() {
    this.handlers.stop();
    this.field.focus();
  }

  /** Puts an earlier message into the field; what is sent takes its place. */
  edit({ id, text, parent }) {
    this.editing = { id, parent };
    one("#editing").hidden = false;
    this.field.value = text;
    this.update();
    this.field.focus();
    this.field.setSelectionRange(text.length, text.length);
  }

  editEnd() {
    if (this.editing) this.field.value = "";
    this.editing = null;
    one("#editing").hidden = true;
    this.update();
  }

  running(isRunning) {
    this.isRunning = isRunning;
    this.update();
  }

  update() {
    const isEmpty = !this.field.value.trim() && !this.files.items.length;
    this.stopButton.hidden = !this.isRunning;
    this.sendButton.hidden = this.isRunning && isEmpty;
    this.sendButton.disabled = isEmpty;
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, innerHeight * TALLEST)}px`;
  }
}
