// Keeps a part of a page fresh: often while something happens, seldom otherwise, never unseen.

import { copyButtonsAdd } from "./copy.js";
import { one, serverNodes } from "./dom.js";

const BUSY_MS = 1500;
const IDLE_MS = 8000;
let tag = "";
let timer = 0;

function kept(element) {
  return {
    open: new Set(
      [...element.querySelectorAll("details[open]")].map((each) => placeOf(each, element)),
    ),
    focus: element.contains(document.activeElement) ? placeOf(document.activeElement, element) : "",
  };
}

/** Where an element stands among its kind; steps are only ever added at the end. Buttons of a
 * question are counted within it: the focus must never move on to the buttons of another one. */
function placeOf(element, root) {
  const card = element.closest("[data-approval]");
  const within = card && root.contains(card) ? card : root;
  const number = [...within.getElementsByTagName(element.tagName)].indexOf(element);
  return `${card?.dataset.approval ?? ""} ${element.tagName} ${number}`;
}

/** Puts every part of the answer in the place of the one with the same id. */
function exchange(html) {
  for (const fresh of serverNodes(html)) {
    const element = fresh.id && document.getElementById(fresh.id);
    if (!element) continue;
    const before = kept(element);
    element.replaceWith(fresh);
    for (const found of fresh.querySelectorAll("*")) {
      const place = placeOf(found, fresh);
      if (found.tagName === "DETAILS" && before.open.has(place)) found.open = true;
      if (place === before.focus) found.focus({ preventScroll: true });
    }
    copyButtonsAdd(fresh);
  }
}

async function refresh() {
  const element = one("[data-live]");
  const address = element?.dataset.live;
  if (!address) return;
  try {
    if (!document.hidden) {
      const answer = await fetch(address, { headers: tag ? { "If-None-Match": tag } : {} });
      if (answer.redirected) return location.reload();
      if (answer.ok) {
        tag = answer.headers.get("ETag") ?? "";
        exchange(await answer.text());
      }
    }
  } catch {
    // The gateway is away; the next round asks again.
  }
  const isBusy = one("[data-live]")?.dataset.busy !== undefined || one(".state--busy");
  clearTimeout(timer);
  timer = setTimeout(refresh, isBusy ? BUSY_MS : IDLE_MS);
}

// Whoever knows of news need not wait for the next round.
document.addEventListener("live:refresh", refresh);
timer = setTimeout(refresh, BUSY_MS);
