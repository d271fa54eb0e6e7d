// What stands around the conversation: the connection line, the spoken status, the pickers.

import { make, one } from "./dom.js";
import { words } from "./words.js";

// A short break heals unseen; only a longer one is worth a line.
const PATIENCE_MS = 700;
let timer = 0;

/** Says how the connection is: open, lost, refused. */
export function connectionShow(how) {
  clearTimeout(timer);
  const line = one("#connection");
  document.body.dataset.connection = how;
  if (how === "open") {
    line.hidden = true;
    return;
  }
  timer = setTimeout(
    () => {
      if (how === "refused")
        line.replaceChildren(
          make(
            "a",
            { href: `/signin/?next=${encodeURIComponent(location.pathname)}` },
            words.signed_out,
          ),
        );
      else line.textContent = navigator.onLine ? words.lost : words.offline;
      line.hidden = false;
    },
    how === "refused" ? 0 : PATIENCE_MS,
  );
}

/** Tells a screen reader what began and what ended, once, instead of every word. */
export function statusSay(now, then, state) {
  const announce = one("#announce");
  if (now && now.id !== then?.id) announce.textContent = words.answering;
  else if (!now && then) {
    const ended = state.runs[then.id]?.state;
    announce.textContent = { error: words.failed, aborted: words.stopped }[ended] ?? words.complete;
  }
}

/** The invitation of an empty conversation; the chips become small when it is not empty. */
export function emptyShow(isEmpty) {
  one("#chat-empty").hidden = !isEmpty;
  one("#chips")?.toggleAttribute("data-small", !isEmpty);
}
