// Messages that wait behind the running turn, directly above the composer.

import { icon, make, one } from "./dom.js";
import { tricksShown } from "./inline.js";
import { words } from "./words.js";

/** Shows the queue; `remove(run)` takes a message out of it. */
export function queueShow(queue, remove) {
  const list = one("#queue");
  const rows = queue.map((item, index) => {
    const button = make(
      "button",
      {
        class: "button button--quiet button--icon button--small",
        type: "button",
        title: words.remove,
        "aria-label": `${words.remove}: ${item.text}`,
      },
      icon("x"),
    );
    button.addEventListener("click", () => remove(item.runId));
    const place = index === 0 ? words.next : String(index + 1);
    return make(
      "li",
      { class: "queue__item", "data-run": item.runId },
      icon("clock"),
      make("span", { class: "quiet small number" }, place),
      make("span", { class: "one-line" }, tricksShown(item.text)),
      button,
    );
  });
  list.replaceChildren(...rows);
  list.hidden = !rows.length;
}
