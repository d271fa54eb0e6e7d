// The palette: jump to a page, a session, an action.

import { icon, make, one, post } from "./dom.js";
import { themeSet } from "./theme.js";

const dialog = one("#palette");
const input = one(".palette__input");
const list = one(".palette__list");
const MOST = 40;
let entries = null;
let shown = [];
let chosen = 0;

/** Opens the palette; its entries are fetched each time, they are few. */
export async function paletteOpen() {
  if (!dialog || dialog.open) return;
  dialog.showModal();
  input.value = "";
  draw();
  entries = (await (await fetch(list.dataset.source)).json()).entries;
  draw();
}

function matches(entry, query) {
  const text = `${entry.label} ${entry.hint}`.toLowerCase();
  return query.split(/\s+/).every((word) => text.includes(word));
}

function draw() {
  const query = input.value.trim().toLowerCase();
  shown = (entries ?? []).filter((entry) => matches(entry, query)).slice(0, MOST);
  chosen = 0;
  const rows = shown.map((entry, index) =>
    make(
      "a",
      {
        class: "palette__item",
        role: "option",
        id: `palette-${index}`,
        href: entry.go ?? "#",
        tabindex: "-1",
      },
      icon(entry.icon),
      make("span", { class: "one-line" }, entry.label),
      make("span", { class: "quiet small" }, entry.hint),
    ),
  );
  if (!rows.length && entries)
    rows.push(make("p", { class: "palette__item quiet" }, list.dataset.empty));
  list.replaceChildren(...rows);
  choose(0);
}

function choose(index) {
  list.children[chosen]?.setAttribute("aria-selected", "false");
  chosen = (index + shown.length) % (shown.length || 1);
  const row = list.children[chosen];
  row?.setAttribute("aria-selected", "true");
  row?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", shown.length ? `palette-${chosen}` : "");
}

async function go(entry) {
  dialog.close();
  if (entry.go) location.assign(entry.go);
  else if (entry.theme) themeSet(entry.theme);
  else if (entry.dialog) one(`#${entry.dialog}`).showModal();
  else if (entry.post) location.assign((await post(entry.post, {})).url);
}

function typed(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps) {
    event.preventDefault();
    choose(chosen + steps[event.key]);
  } else if (event.key === "Enter" && !event.isComposing && shown[chosen]) {
    event.preventDefault();
    go(shown[chosen]);
  }
}

input?.addEventListener("input", draw);
input?.addEventListener("keydown", typed);
list?.addEventListener("click", (event) => {
  const row = event.target.closest("[role=option]");
  if (!row) return;
  event.preventDefault();
  go(shown[[...list.children].indexOf(row)]);
});
