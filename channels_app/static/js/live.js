// Keeps a part of a page fresh: often while something happens, seldom otherwise, never unseen.

import { copyButtonsAdd } from "./copy.js";
import { one, serverNodes } from "./dom.js";

const BUSY_MS = 1500;
const IDLE_MS = 8000;
let tag = "";

function kept(element) {
  return {
    open: new Set(
      [...element.querySelectorAll("details[open]")].map((each) => placeOf(each, element)),
    ),
    focus: element.contains(document.activeElement) ? placeOf(document.activeElement, element) : "",
  };
}

/** Where an element stands among its kind; steps are only ever added at the end. */
function placeOf(element, root) {
  return `${element.tagName} ${[...root.getElementsByTagName(element.tagName)].indexOf(element)}`;
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
  setTimeout(refresh, isBusy ? BUSY_MS : IDLE_MS);
}

setTimeout(refresh, BUSY_MS);
