// How full the model's context is, in the head of the page.

import { one } from "./dom.js";
import { settings, words } from "./words.js";

const numbers = new Intl.NumberFormat(document.documentElement.lang || "en", {
  notation: "compact",
  maximumFractionDigits: 1,
});

/** Shows a session's row: `totalTokens` of `contextTokens`; tight ones in another colour. */
export function contextShow(session) {
  const line = one("#context");
  const { totalTokens: used, contextTokens: window } = session ?? {};
  line.hidden = !(used && window);
  if (line.hidden) return;
  line.textContent = words.context
    .replace("{used}", numbers.format(used))
    .replace("{window}", numbers.format(window));
  line.classList.toggle("chat__context--tight", used >= window * settings.tight);
}
