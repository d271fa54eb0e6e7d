// A copy button on every block of code.

import { all, icon, make, pageJson } from "./dom.js";

const SHOWN_MS = 1500;
const words = pageJson("frame-words") ?? {};

/** Puts `text` on the clipboard and lets `button` say so. */
export async function copyText(text, button) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyPlainly(text);
  const before = button.firstElementChild;
  button.replaceChildren(icon("check"), ...[...button.childNodes].slice(1));
  setTimeout(() => button.firstElementChild.replaceWith(before), SHOWN_MS);
}

/** Pages that come over plain HTTP have no clipboard of their own. */
function copyPlainly(text) {
  const field = make("textarea", { class: "for-readers" });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** Gives each block of code below `root` its button. */
export function copyButtonsAdd(root = document) {
  for (const block of all(".code:not(:has(> .button))", root)) {
    const button = make(
      "button",
      {
        class: "button button--icon button--small",
        type: "button",
        "aria-label": words.copy,
        title: words.copy,
      },
      icon("copy"),
    );
    button.addEventListener("click", () =>
      copyText(block.querySelector("pre").textContent, button),
    );
    block.append(button);
  }
}
