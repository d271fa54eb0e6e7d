// A message that is on its way, or that could not be sent.

import { make } from "./dom.js";
import { words } from "./words.js";

/** Shows how a pending message stands; a refused one can be sent again or thrown away. */
export function pendingShow(element, message, { resend, discard }) {
  element.querySelector(".message__sending")?.remove();
  if (message.state === "sent") return;
  const line = make(
    "p",
    { class: "message__sending small" },
    message.state === "failed" ? `${words.not_sent}: ${message.error}` : words.sending,
  );
  if (message.state === "failed") {
    for (const [word, act] of [
      [words.resend, resend],
      [words.discard, discard],
    ]) {
      const button = make("button", { class: "button button--small", type: "button" }, word);
      button.addEventListener("click", () => act(message));
      line.append(" ", button);
    }
  }
  element.append(line);
}
