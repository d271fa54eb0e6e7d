// The list of commands that opens with "/" at the start of the field.

import { make } from "./dom.js";
import { settings } from "./words.js";

const { commands: COMMANDS } = settings;

/** The commands that begin with `typed`; the choices of one only once a blank stands behind it. */
function fitting(typed) {
  if (!/^\/[a-z ]*$/.test(typed)) return [];
  return COMMANDS.filter(
    ([name]) =>
      name.startsWith(typed) && name !== typed && (typed.includes(" ") || !name.includes(" ")),
  );
}

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
    this.found = fitting(this.field.value);
    this.chosen = 0;
    this.list.hidden = !this.found.length;
    this.list.replaceChildren(
      ...this.found.map(([name, help], index) =>
        make(
          "li",
          {
            class: "commands__item",
            role: "option",
            id: `command-${index}`,
            "aria-selected": String(index === 0),
          },
          make("code", {}, name),
          make("span", { class: "quiet small" }, help),
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
