// The answer that is being written: drawn from the run's text until its message is stored.

import { make } from "./dom.js";
import { agentElement, footShow, slot, thoughtShow } from "./message.js";
import { StreamedText } from "./stream.js";
import { liveText } from "./views.js";
import { words } from "./words.js";

/** One element that grows. It becomes the stored message's element, so that nothing flickers. */
export class LiveAnswer {
  constructor(run) {
    this.run = run.id;
    this.element = agentElement();
    this.element.classList.add("message--live");
    this.text = new StreamedText(slot(this.element, "prose"));
    // A command that was answered without the model stands in no message.
    if (run.asked)
      this.element.prepend(make("p", { class: "message__asked small quiet" }, run.asked));
  }

  compacting(isRunning) {
    if (Boolean(this.line) === Boolean(isRunning)) return;
    this.line?.remove();
    this.line = isRunning
      ? make("p", { class: "message__compacting small quiet" }, words.compacting)
      : null;
    if (this.line) this.element.prepend(this.line);
  }

  show(state, run) {
    const said = liveText(state, run);
    if (run.thinking) thoughtShow(this.element, run.thinking, words.thinking);
    this.text.say(said);
    this.compacting(run.state === "running" && run.isCompacting);
    this.element.classList.toggle(
      "message--quiet",
      run.state === "running" && !said && !run.thinking,
    );
    slot(this.element, "error").hidden = run.state !== "error";
    slot(this.element, "error-text").textContent = run.error || words.failed;
    if (run.state !== "running") footShow(this.element, run);
  }
}

/** The last run that ended without leaving a message: it failed early, or a command was answered. */
export function endedSilently(state) {
  const run = Object.values(state.runs).at(-1);
  if (!run || run.state === "running" || !(run.text || run.error)) return undefined;
  return state.messages.some((each) => each.role === "assistant" && each.run === run.id)
    ? undefined
    : run;
}
