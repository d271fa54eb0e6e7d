// What every page has: palette, drawer, dialogs, keys, times, copy buttons.

import { copyButtonsAdd } from "./copy.js";
import { all, isTyping, one } from "./dom.js";
import { paletteOpen } from "./palette.js";
import { timesKeep } from "./times.js";
import { toastsSettle } from "./toast.js";

const PLACES = { p: "/", c: "/chat/", r: "/runs/", a: "/approvals/" };
const SEQUENCE_MS = 1200;
let leader = 0;

function railOpen(event) {
  event.preventDefault();
  const rail = one("#rail");
  rail.dataset.open = "";
  one("#main").inert = true;
  one("a[href]:not(.rail__close), button", rail)?.focus();
}

function railClose(event) {
  const rail = one("#rail");
  if (rail?.dataset.open === undefined) return false;
  event?.preventDefault();
  delete rail.dataset.open;
  one("#main").inert = false;
  one("[data-rail-open]")?.focus();
  return true;
}

function dialogsConnect() {
  for (const button of all("[data-dialog]")) {
    button.addEventListener("click", () => one(`#${button.dataset.dialog}`).showModal());
  }
  for (const dialog of all("dialog")) {
    dialog.addEventListener("click", (event) => {
      // A click on the veil has the dialog itself as its target.
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }
}

function pressed(event) {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    paletteOpen();
  } else if (event.key === "Escape") {
    railClose(event);
  } else if (!isTyping(event.target) && !event.metaKey && !event.ctrlKey && !event.altKey) {
    letter(event);
  }
}

function letter(event) {
  const place = PLACES[event.key];
  if (event.key === "g") leader = event.timeStamp;
  else if (place && leader && event.timeStamp - leader < SEQUENCE_MS) location.assign(place);
  else if (event.key === "?") one("#shortcuts")?.showModal();
  else leader = 0;
}

document.addEventListener("keydown", pressed);
for (const link of all("[data-rail-open]")) link.addEventListener("click", railOpen);
for (const link of all("[data-rail-close]")) link.addEventListener("click", railClose);
for (const button of all("[data-palette-open]")) {
  button.hidden = false;
  button.addEventListener("click", paletteOpen);
}
dialogsConnect();
copyButtonsAdd();
timesKeep();
toastsSettle();
