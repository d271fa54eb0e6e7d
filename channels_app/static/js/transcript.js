// The transcript in the document follows the store's state. Elements are kept by message id:
// what the server drew first stays, a live answer becomes the stored one, nothing is drawn twice.

import { one } from "./dom.js";
import { EndKeeper } from "./end_keeper.js";
import { endedSilently, LiveAnswer } from "./live_answer.js";
import {
  agentElement,
  answerCards,
  answerShow,
  footShow,
  name,
  noticeElement,
  userElement,
} from "./message.js";
import { isLastOfRun, runningRun, shownPending } from "./views.js";

/** Draws states into the page. Call `show` with each new one; drawing waits for the next frame. */
export class Transcript {
  constructor(root, scroller) {
    Object.assign(this, { root, state: null, drawn: null, live: null, pending: new Map() });
    this.view = new EndKeeper(scroller, root, one("#to-bottom"));
    const stored = [...root.children].filter((child) => child.dataset.id);
    this.elements = new Map(stored.map((child) => [child.dataset.id, child]));
  }

  /** Takes over elements of an older page; what a person reads stays where it is. */
  addBefore(elements) {
    const fresh = elements
      .filter((each) => !this.elements.has(each.dataset.id))
      .map((each) => document.importNode(each, true));
    for (const element of fresh) this.elements.set(element.dataset.id, element);
    this.view.keepPlace(() => this.root.prepend(...fresh));
  }

  show(state) {
    this.state = state;
    // A hidden tab gets no frames; it must still be right when it is looked at.
    this.frame ??= document.hidden
      ? setTimeout(() => this.draw(), 0)
      : requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = null;
    const { state, drawn } = this;
    this.drawn = state;
    const differs = (...names) => names.some((each) => state[each] !== drawn?.[each]);
    if (differs("messages")) this.drawMessages(state);
    if (differs("pending", "queue")) this.drawPending(state);
    if (differs("messages", "results", "tools", "runs")) this.drawAnswers(state);
    if (differs("messages", "runs")) this.drawLive(state);
    this.view.follow(drawn && (differs("runs") || state.messages.at(-1) !== drawn.messages.at(-1)));
  }

  drawMessages(state) {
    const ids = new Set(state.messages.map((message) => message.id));
    for (const [id, element] of this.elements) {
      if (ids.has(id)) continue;
      element.remove();
      this.elements.delete(id);
    }
    let before = null;
    for (const message of state.messages) {
      const element = this.elements.get(message.id) ?? this.adopt(message);
      const place = before ? before.nextElementSibling : this.root.firstElementChild;
      if (element !== place) this.root.insertBefore(element, place);
      before = element;
    }
  }

  /** The element for a message that is new here: a pending or live one that became stored. */
  adopt(message) {
    let element;
    if (message.role === "user") element = this.sent(message) ?? userElement(message);
    else if (message.role === "assistant") element = this.answered(message);
    else element = noticeElement(message);
    this.elements.set(message.id, element);
    return element;
  }

  sent(message) {
    const element = this.pending.get(message.run);
    if (!element) return null;
    this.pending.delete(message.run);
    name(element, message);
    element.classList.remove("message--pending", "message--failed");
    element.querySelector(".message__sending")?.remove();
    return element;
  }

  answered(message) {
    const element = this.live?.run === message.run ? this.live.element : agentElement();
    if (element === this.live?.element) this.live = null;
    answerShow(element, message);
    return element;
  }

  drawPending(state) {
    const shown = shownPending(state);
    const runs = new Set(shown.map((each) => each.run));
    for (const [run, element] of this.pending) {
      if (runs.has(run)) continue;
      element.remove();
      this.pending.delete(run);
    }
    for (const message of shown) {
      const element = this.pending.get(message.run) ?? userElement(message);
      this.pending.set(message.run, element);
      element.classList.toggle("message--pending", message.state === "sending");
      element.classList.toggle("message--failed", message.state === "failed");
      this.onPending(element, message);
      this.root.append(element);
    }
  }

  drawAnswers(state) {
    for (const message of state.messages) {
      const run = state.runs[message.run];
      if (message.role !== "assistant" || (!run && !message.calls?.length)) continue;
      const element = this.elements.get(message.id);
      answerCards(element, message, state);
      if (run?.endedAt && isLastOfRun(state, message)) footShow(element, run);
    }
  }

  drawLive(state) {
    const running = runningRun(state);
    const run = running ?? endedSilently(state);
    this.root.setAttribute("aria-busy", String(Boolean(running)));
    if (this.live && this.live.run !== run?.id) {
      this.live.element.remove();
      this.live = null;
    }
    if (!run) return;
    this.live ??= new LiveAnswer(run);
    this.live.show(state, run);
    const next = this.pending.values().next().value ?? null;
    if (this.live.element.nextElementSibling !== next || !this.live.element.isConnected) {
      this.root.insertBefore(this.live.element, next);
    }
  }
}
