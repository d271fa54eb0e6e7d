// The transcript in the document follows the store's state. Elements are kept by message id:
// what the server drew first stays, a live answer becomes the stored one, nothing is drawn twice.

import { one } from "./dom.js";
import { agentElement, answerCards, answerShow, footShow, name, noticeElement, thoughtShow, slot, userElement } from "./message.js";
import { StreamedText } from "./stream.js";
import { isLastOfRun, liveText, runningRun, shownPending } from "./views.js";
import { words } from "./words.js";

const NEAR = 90;

/** Draws states into the page. Call `show` with each new one; drawing waits for the next frame. */
export class Transcript {
  constructor(root, scroller) {
    this.root = root;
    this.scroller = scroller;
    this.state = null;
    this.drawn = null;
    this.live = null;
    this.elements = new Map([...root.children].filter((child) => child.dataset.id).map((child) => [child.dataset.id, child]));
    this.pending = new Map();
    this.isAtEnd = true;
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.toEnd();
  }

  show(state) {
    this.state = state;
    // A hidden tab gets no frames; it must still be right when it is looked at.
    this.frame ??= document.hidden ? setTimeout(() => this.draw(), 0) : requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = null;
    const { state, drawn } = this;
    this.drawn = state;
    const wasAtEnd = this.isAtEnd;
    if (state.messages !== drawn?.messages) this.drawMessages(state);
    if (state.pending !== drawn?.pending || state.queue !== drawn?.queue) this.drawPending(state);
    if (state.messages !== drawn?.messages || state.results !== drawn?.results || state.tools !== drawn?.tools || state.runs !== drawn?.runs) this.drawCards(state);
    if (state.runs !== drawn?.runs || state.messages !== drawn?.messages) this.drawLive(state);
    if (wasAtEnd) this.toEnd();
    else one("#to-bottom").hidden = false;
  }

  drawMessages(state) {
    const ids = new Set(state.messages.map((message) => message.id));
    for (const [id, element] of this.elements) {
      if (!ids.has(id)) {
        element.remove();
        this.elements.delete(id);
      }
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
    if (message.role === "user") {
      element = this.pending.get(message.run);
      if (element) {
        this.pending.delete(message.run);
        name(element, message);
        element.classList.remove("message--pending", "message--failed");
        element.querySelector(".message__sending")?.remove();
      } else element = userElement(message);
    } else if (message.role === "assistant") {
      element = this.live?.run === message.run ? this.live.element : agentElement();
      if (element === this.live?.element) this.live = null;
      answerShow(element, message);
    } else element = noticeElement(message);
    this.elements.set(message.id, element);
    return element;
  }

  drawPending(state) {
    const shown = shownPending(state);
    const runs = new Set(shown.map((each) => each.run));
    for (const [run, element] of this.pending) {
      if (!runs.has(run)) {
        element.remove();
        this.pending.delete(run);
      }
    }
    for (const message of shown) {
      const element = this.pending.get(message.run) ?? userElement(message);
      this.pending.set(message.run, element);
      element.classList.toggle("message--pending", message.state === "sending");
      element.classList.toggle("message--failed", message.state === "failed");
      this.onPending?.(element, message);
      this.root.append(element);
    }
  }

  drawCards(state) {
    for (const message of state.messages) {
      if (message.role !== "assistant") continue;
      const element = this.elements.get(message.id);
      answerCards(element, message, state);
      const run = state.runs[message.run];
      if (run && run.state !== "running" && run.endedAt && isLastOfRun(state, message)) footShow(element, run);
    }
  }

  drawLive(state) {
    const run = runningRun(state) ?? this.failedSilently(state);
    this.root.setAttribute("aria-busy", String(Boolean(runningRun(state))));
    if (!run || (this.live && this.live.run !== run.id)) this.dropLive();
    if (!run) return;
    if (!this.live) {
      const element = agentElement();
      element.classList.add("message--live");
      this.live = { run: run.id, element, text: new StreamedText(slot(element, "prose")) };
    }
    const { element, text } = this.live;
    const said = liveText(state, run);
    if (run.thinking) thoughtShow(element, run.thinking, words.thinking);
    text.say(said);
    element.classList.toggle("message--quiet", run.state === "running" && !said);
    slot(element, "error").hidden = run.state !== "error";
    slot(element, "error-text").textContent = run.error || words.failed;
    if (run.state !== "running") footShow(element, run);
    const last = this.root.lastElementChild;
    if (last !== element) this.root.insertBefore(element, this.pending.values().next().value ?? null);
  }

  /** The last run, when it failed or was stopped without leaving a message. */
  failedSilently(state) {
    const run = Object.values(state.runs).at(-1);
    const isSilent = run && (run.state === "error" || (run.state === "aborted" && run.text)) && !state.messages.some((each) => each.role === "assistant" && each.run === run.id);
    return isSilent && state.messages.at(-1)?.run === run.id ? run : undefined;
  }

  dropLive() {
    this.live?.element.remove();
    this.live = null;
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    if (this.isAtEnd) one("#to-bottom").hidden = true;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.isAtEnd = true;
    one("#to-bottom").hidden = true;
  }
}
