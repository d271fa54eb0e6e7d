// Tool calls as one-line cards that open.

import { icon, make } from "./dom.js";
import { tricksShown } from "./inline.js";
import { duration } from "./times.js";
import { callState } from "./views.js";
import { settings, words } from "./words.js";

const LONGEST = 20_000;
const SUMMARY = 120;
const DOTS = { running: "busy", waiting: "warn", done: "ok", failed: "bad" };
const WORDS = {
  running: () => words.running,
  waiting: () => words.asked,
  done: () => words.done,
  failed: () => words.error,
};

const slot = (root, name) => root.querySelector(`[data-slot="${name}"]`);

/** Makes or updates the cards of a message. What is open stays open. */
export function cardsShow(box, message, state) {
  for (const call of message.calls) {
    const known = box.querySelector(`[data-call="${CSS.escape(call.id)}"]`);
    const card = known ?? box.appendChild(cardElement(call));
    cardUpdate(card, callState(state, call, message.run));
  }
}

function cardElement(call) {
  const card = document.getElementById("t-card").content.firstElementChild.cloneNode(true);
  const [symbol, verb] = settings.tools[call.name] ?? ["tool", call.name];
  card.dataset.call = call.id;
  slot(card, "icon").replaceChildren(icon(symbol));
  slot(card, "verb").textContent = verb;
  slot(card, "argument").textContent = tricksShown(argument(call.args));
  const steps = planSteps(call);
  card.open = steps.length > 0 || settings.showing.verbose === "full";
  slot(card, "plan").hidden = !steps.length;
  slot(card, "plan").replaceChildren(...steps.map(stepElement));
  slot(card, "arguments").textContent = tricksShown(JSON.stringify(call.args ?? {}, null, 2));
  return card;
}

const STATUSES = ["pending", "in_progress", "completed"];

/** The checklist of a call of update_plan, as far as it is one. */
export function planSteps(call) {
  const plan = call.name === "update_plan" ? call.args?.plan : null;
  const items = Array.isArray(plan) ? plan.filter((item) => item && typeof item === "object") : [];
  return items.map(({ step, status }) => ({
    text: String(step ?? ""),
    status: STATUSES.includes(status) ? status : "pending",
  }));
}

const stepElement = (step) =>
  make(
    "li",
    { class: `plan__step plan__step--${step.status}`, dir: "auto" },
    tricksShown(step.text),
  );

/** The telling argument of a call: its first text, in one line. */
export function argument(args) {
  const text = Object.values(args ?? {}).find((value) => typeof value === "string" && value.trim());
  return text ? text.split(/\s+/).join(" ").trim().slice(0, 120) : "";
}

function cardUpdate(card, now) {
  const text = now.text.length > LONGEST ? `${now.text.slice(0, LONGEST)}\n…` : now.text;
  const result = slot(card, "result");
  const shown = tricksShown(text);
  if (result.textContent !== shown) result.textContent = shown;
  slot(card, "summary").textContent = shown.split(/\s+/).join(" ").trim().slice(0, SUMMARY);
  if (card.classList.contains(`tool--${now.state}`) && now.milliseconds == null) return;
  card.className = `tool tool--${now.state}`;
  const dot = slot(card, "state");
  dot.className = `state state--${DOTS[now.state]}`;
  dot.textContent = WORDS[now.state]();
  if (now.milliseconds != null) slot(card, "time").textContent = duration(now.milliseconds);
}
