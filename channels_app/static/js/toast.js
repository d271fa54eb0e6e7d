// Short notices in the corner.

import { icon, make, one, pageJson } from "./dom.js";

const ICONS = { info: "info", ok: "ok", warn: "warning", bad: "warning" };
const SHOWN_MS = 6000;
const words = pageJson("frame-words") ?? {};

/** Shows `text`; errors stay until they are closed. */
export function toast(text, kind = "info") {
  const close = make(
    "button",
    {
      class: "button button--quiet button--icon button--small",
      type: "button",
      "aria-label": words.close,
    },
    icon("x"),
  );
  const notice = make(
    "div",
    { class: `notice notice--${kind}` },
    icon(ICONS[kind]),
    make("span", {}, text),
    close,
  );
  close.addEventListener("click", () => notice.remove());
  one("#toasts").append(notice);
  if (kind !== "bad") setTimeout(() => notice.remove(), SHOWN_MS);
}

/** Lets notices that came with the page go after a while. */
export function toastsSettle() {
  for (const notice of document.querySelectorAll("[data-toast]:not(.notice--bad)")) {
    setTimeout(() => notice.remove(), SHOWN_MS);
  }
}
