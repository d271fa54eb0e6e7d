// Files beside the message: chosen, dropped or pasted, stored at once, sent by their id.

import { csrfToken, icon, make, one } from "./dom.js";
import { toast } from "./toast.js";
import { settings, words } from "./words.js";

const MEBIBYTE = 1024 * 1024;
const ADDRESS = "/chat/attachments/";

/** The files of the message that is being written. */
export class Attachments {
  constructor({ list, input, zone, onChange }) {
    Object.assign(this, { list, items: [], onChange });
    input.addEventListener("change", () => {
      this.add([...input.files]);
      input.value = "";
    });
    zone.addEventListener("dragover", (event) => this.over(event, zone));
    zone.addEventListener("dragleave", () => zone.classList.remove("is-over"));
    zone.addEventListener("drop", (event) => {
      zone.classList.remove("is-over");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
  }

  over(event, zone) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("is-over");
  }

  /** Takes the files of a paste; text is left to the field. */
  pasted(event) {
    const files = [...event.clipboardData.files];
    if (!files.length) return;
    event.preventDefault();
    this.add(files);
  }

  add(files) {
    for (const file of files) this.store(file);
  }

  async store(file) {
    const limit = file.type.startsWith("image/") ? 6 : 20;
    if (file.size > limit * MEBIBYTE) {
      toast(words.too_large.replace("{name}", file.name), "bad");
      return;
    }
    const item = { name: file.name, isImage: file.type.startsWith("image/") };
    this.items.push(item);
    this.draw();
    item.done = this.upload(file).then(
      (stored) => Object.assign(item, stored),
      (error) => {
        toast(
          words.upload_failed.replace("{name}", file.name).replace("{reason}", error.message),
          "bad",
        );
        this.remove(item);
      },
    );
    await item.done;
    this.draw();
  }

  async upload(file) {
    const body = new FormData();
    body.append("file", file);
    body.append("sessionKey", settings.key);
    const answer = await fetch(ADDRESS, {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body,
    });
    const found = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(found.error?.message ?? answer.statusText);
    return found;
  }

  /** All stored files, once the last upload is through; the list is empty afterwards. */
  async take() {
    await Promise.all(this.items.map((item) => item.done));
    const taken = this.items
      .filter((item) => item.id)
      .map(({ id, name, isImage }) => ({ id, name, isImage }));
    this.items = [];
    this.draw();
    return taken;
  }

  remove(item) {
    this.items = this.items.filter((each) => each !== item);
    this.draw();
  }

  draw() {
    const rows = this.items.map((item) => {
      const button = make(
        "button",
        {
          class: "button button--quiet button--icon button--small",
          type: "button",
          "aria-label": `${words.remove}: ${item.name}`,
        },
        icon("x"),
      );
      button.addEventListener("click", () => this.remove(item));
      return make(
        "li",
        { class: `composer__file${item.id ? "" : " is-uploading"}` },
        icon(item.isImage ? "image" : "file"),
        make("span", { class: "one-line" }, item.name),
        button,
      );
    });
    this.list.replaceChildren(...rows);
    this.list.hidden = !rows.length;
    this.onChange();
  }
}

/** The page's own attachments, if it has a composer. */
export const attachmentsMake = (onChange) =>
  new Attachments({
    list: one("#composer-files"),
    input: one("#composer-file"),
    zone: one("#composer"),
    onChange,
  });
