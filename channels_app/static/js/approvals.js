// Questions that wait for a person: their cards, the time that is left, the answer.

import { all, make, one, post, serverNodes } from "./dom.js";
import { duration } from "./times.js";
import { toast } from "./toast.js";

const EVERY_MS = 1000;
const deadlines = new WeakMap();

/** Milliseconds until the question of a card is over. */
function leftOf(card, now = performance.now()) {
  // The seconds count from when the card was drawn: clocks of two machines differ.
  if (!deadlines.has(card)) deadlines.set(card, now + Number(card.dataset.left) * 1000);
  return deadlines.get(card) - now;
}

/** Shows how long each question on the page still waits; `over(card)` when its time is over. */
export function countdownsKeep(words, over) {
  const tick = () => {
    for (const card of all("[data-left]")) {
      const left = leftOf(card);
      const slot = one("[data-slot=left]", card);
      const seconds = Math.max(0, Math.ceil(left / 1000)) * 1000;
      if (slot) slot.textContent = words.approval_left.replace("{time}", duration(seconds));
      if (left > -EVERY_MS) continue;
      // Asked once more after a while: the gateway may not have noted it yet.
      deadlines.set(card, performance.now() + EVERY_MS);
      over(card);
    }
  };
  tick();
  setInterval(tick, EVERY_MS);
}

/** Shows beside the link to all questions how many wait. */
export async function badgeRefresh() {
  const link = one('[data-nav="approvals"]');
  if (!link) return;
  const answer = await fetch("/approvals/waiting/").catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const { count } = await answer.json();
  const badge = one(".nav-item__count", link) ?? make("span", { class: "nav-item__count" });
  badge.textContent = count;
  if (count) link.append(badge);
  else badge.remove();
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
  return serverNodes(await answer.text()).filter((node) => node.dataset?.approval);
}

/** The cards of one conversation, in `root`. `say(text)` speaks, `leave()` takes the focus,
 * `waits(callId, isWaiting)` tells of a tool call. */
export class Approvals {
  constructor({ root, key, words, say, leave, waits }) {
    Object.assign(this, { root, key, words, say, leave, waits });
    root.addEventListener("submit", (event) => this.submitted(event));
    countdownsKeep(words, (card) => this.renew(card.dataset.approval));
  }

  told(card) {
    this.waits(card.dataset.for, card.dataset.state === "pending");
  }

  cardOf(id) {
    return one(`[data-approval="${CSS.escape(id)}"]`, this.root);
  }

  /** An event of the gateway. */
  happened(name, payload) {
    badgeRefresh();
    if (payload.sessionKey !== this.key) return;
    if (name === "exec.approval.requested") this.asked(payload.id);
    else if (this.cardOf(payload.id)) this.renew(payload.id);
  }

  async asked(id) {
    this.clear();
    await this.renew(id);
    const card = this.cardOf(id);
    if (card?.dataset.state !== "pending") return;
    const title = one(".approval__title", card)?.textContent ?? "";
    const command = one(".approval__command", card)?.textContent.trim() ?? "";
    this.say(`${title} ${command}`.slice(0, 300));
  }

  /** Draws a card as the gateway knows it now. */
  async renew(id) {
    try {
      this.put(await fetched(`/approvals/${encodeURIComponent(id)}/card/`));
    } catch {
      // The gateway is away; the page asks again when it is back.
    }
  }

  /** After a time without connection: what waits now, and how the others ended. */
  async catchUp() {
    const known = all("[data-state=pending]", this.root).map((card) => card.dataset.approval);
    try {
      const cards = await fetched(`/approvals/cards/?session=${encodeURIComponent(this.key)}`);
      const waiting = new Set(cards.map((card) => card.dataset.approval));
      this.put(cards);
      for (const id of known) if (!waiting.has(id)) await this.renew(id);
    } catch {
      // As above.
    }
  }

  put(cards) {
    for (const card of cards) {
      this.told(card);
      const before = this.cardOf(card.dataset.approval);
      if (!before) {
        this.root.append(card);
        continue;
      }
      // What is being read or has the focus stays, unless it means something else now.
      if (before.dataset.state === "pending" && card.dataset.state === "pending") continue;
      const hadFocus = before.contains(document.activeElement);
      before.replaceWith(card);
      if (card.dataset.state !== "pending") this.say(one(".state", card)?.textContent ?? "");
      if (hadFocus) this.leave();
    }
  }

  /** Takes away what was answered. */
  clear() {
    for (const card of all(".approval--ended", this.root)) card.remove();
  }

  async submitted(event) {
    event.preventDefault();
    const form = event.target;
    const card = form.closest("[data-approval]");
    const buttons = all("button", form);
    const data = new FormData(form);
    data.set("decision", event.submitter.value);
    for (const button of buttons) button.disabled = true;
    try {
      const answer = await post(form.action, data);
      const [fresh] = serverNodes(await answer.text()).filter((node) => node.dataset?.approval);
      if (!answer.ok || !fresh) throw new Error(String(answer.status));
      card.replaceWith(fresh);
      this.told(fresh);
      this.say(one(".state", fresh)?.textContent ?? "");
      this.leave();
    } catch {
      for (const button of buttons) button.disabled = false;
      toast(this.words.approval_failed, "bad");
    }
  }
}
