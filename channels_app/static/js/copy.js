// A copy button on every block of code.

import { all, icon, make, pageJson } from "./dom.js";

const SHOWN_MS = 1500;
const words = pageJson("frame-words") ?? {};

/** Puts `text` on the clipboard and lets `button` say so. */
export async function copyText(text, button) {
  await navigator.clipboard.writeText(text);
  const before = button.firstElementChild;
  button.replaceChildren(icon("check"), ...[...button.childNodes].slice(1));
  setTimeout(() => button.firstElementChild.replaceWith(before), SHOWN_MS);
}

/** Gives each block of code below `root` its button. */
export function copyButtonsAdd(root = document) {
  for (const block of all(".code:not(:has(> .button))", root)) {
    const button = make("button", { class: "button button--icon button--small", type: "button", "aria-label": words.copy, title: words.copy }, icon("copy"));
    button.addEventListener("click", () => copyText(block.querySelector("pre").textContent, button));
    block.append(button);
  }
}
