// The list of sessions at the left: search, fresh rows, rename and delete.

import { one, serverNodes } from "./dom.js";
import { settings } from "./words.js";

const TYPING_MS = 200;
const GATHER_MS = 400;
const rows = one("#session-rows");
const search = one("#session-search");
let timer = 0;

/** Fetches the rows again soon; several changes make one request. */
export function sessionsRefresh(delay = GATHER_MS) {
  clearTimeout(timer);
  timer = setTimeout(fetchRows, delay);
}

async function fetchRows() {
  const query = new URLSearchParams({ key: settings.key, q: search.value.trim() });
  try {
    const answer = await fetch(`${rows.dataset.source}?${query}`);
    if (!answer.ok || answer.redirected || one("details[open]", rows)) return;
    const focused = document.activeElement?.getAttribute("href");
    rows.replaceChildren(...serverNodes(await answer.text()));
    if (focused) one(`a[href="${CSS.escape(focused)}"]`, rows)?.focus({ preventScroll: true });
    const current = one(".session-row--current .one-line", rows)?.textContent;
    if (current) titleShow(current);
  } catch {
    // The next change asks again.
  }
}

function titleShow(title) {
  one("#chat-title").textContent = title;
  one(".topbar__title").textContent = title;
  document.title = `${title} · OpenClaw`;
}

function openDialog(id, key, fill) {
  const dialog = one(`#${id}`);
  one("[name=key]", dialog).value = key;
  fill(dialog);
  dialog.showModal();
}

function clicked(event) {
  const button = event.target.closest("[data-rename], [data-delete]");
  if (!button) return;
  button.closest("details").open = false;
  const { rename, label, name } = button.dataset;
  if (rename) openDialog("rename", rename, (dialog) => (one("[name=label]", dialog).value = label));
  else
    openDialog(
      "delete",
      button.dataset.delete,
      (dialog) => (one("[data-name]", dialog).textContent = name),
    );
}

if (search) {
  search.hidden = false;
  search.addEventListener("input", () => sessionsRefresh(TYPING_MS));
  rows.addEventListener("click", clicked);
  document.addEventListener("click", (event) => {
    for (const menu of rows.querySelectorAll("details[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
}
