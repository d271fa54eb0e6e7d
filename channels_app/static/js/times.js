// Relative times that stay true while a page is open.

import { all } from "./dom.js";

const language = document.documentElement.lang || "en";
const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const EVERY_MS = 20_000;
const UNITS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 7],
];

/** How long ago `date` was. Beyond a week the date itself. */
export function ago(date, now = Date.now()) {
  let passed = Math.max(0, (now - date.getTime()) / 1000);
  for (const [unit, size] of UNITS) {
    if (passed < size) return words.format(-Math.floor(passed), unit);
    passed /= size;
  }
  return date.toLocaleDateString(language, { dateStyle: "medium" });
}

/** A length of time in words as the server writes it. */
export function duration(milliseconds) {
  if (milliseconds == null) return "–";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Keeps the times below `root` true from now on. */
export function timesKeep() {
  setInterval(() => {
    if (document.hidden) return;
    for (const element of all("time[datetime]")) {
      element.textContent = ago(new Date(element.dateTime));
    }
  }, EVERY_MS);
}
