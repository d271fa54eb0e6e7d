// The list of commands that opens with "/" at the start of the field.

import { make } from "./dom.js";
import { words } from "./words.js";

const COMMANDS = [
  ["/new", "command_new"],
  ["/stop", "command_stop"],
  ["/compact", "command_compact"],
  ["/status", "command_status"],
  ["/help", "command_help"],
  ["/queue collect", "command_queue"],
  ["/queue followup", "command_queue"],
  ["/queue steer", "command_queue"],
  ["/queue interrupt", "command_queue"],
];

/** Shows what fits to what is typed; Enter or Tab takes it. */
export class Commands {
  constructor(list, field) {
    Object.assign(this, { list, field, found: [], chosen: 0 });
    field.addEventListener("input", () => this.update());
    field.addEventListener("blur", () => this.close());
    list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const row = event.target.closest("[role=option]");
      if (row) this.take([...list.children].indexOf(row));
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  update() {
    const typed = this.field.value;
    this.found = /^\/[a-z ]*$/.test(typed)
      ? COMMANDS.filter(([name]) => name.startsWith(typed) && name !== typed)
      : [];
    this.chosen = 0;
    this.list.hidden = !this.found.length;
    this.list.replaceChildren(
      ...this.found.map(([name, word], index) =>
        make(
          "li",
          {
            class: "commands__item",
            role: "option",
            id: `command-${index}`,
            "aria-selected": String(index === 0),
          },
          make("code", {}, name),
          make("span", { class: "quiet small" }, words[word]),
        ),
      ),
    );
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((row, index) =>
      row.setAttribute("aria-selected", String(index === this.chosen)),
    );
    this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
    if (this.isOpen) this.field.setAttribute("aria-activedescendant", `command-${this.chosen}`);
    else this.field.removeAttribute("aria-activedescendant");
  }

  /** Whether a key was for the list. */
  pressed(event) {
    if (!this.isOpen) return false;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      this.chosen = (this.chosen + steps[event.key] + this.found.length) % this.found.length;
      this.mark();
    } else if (event.key === "Tab" || event.key === "Enter") this.take(this.chosen);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    return true;
  }

  take(index) {
    this.field.value = this.found[index][0];
    this.close();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    this.field.focus();
  }

  close() {
    this.found = [];
    this.list.hidden = true;
    this.mark();
  }
}
