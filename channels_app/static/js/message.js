// One message as an element, made from the page's templates: the same parts as the server's.

import { cardsShow } from "./cards.js";
import { copyButtonsAdd } from "./copy.js";
import { icon, make, serverNodes } from "./dom.js";
import { tricksShown } from "./inline.js";
import { StreamedText } from "./stream.js";
import { duration } from "./times.js";
import { words } from "./words.js";

const language = document.documentElement.lang || "en";
const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat(language);
const texts = new WeakMap();

/** The part of an element that has a name. */
export const slot = (root, name) => root.querySelector(`[data-slot="${name}"]`);

const fresh = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

/** The text that an element stands for, as it can be copied. */
export const textOf = (element) =>
  texts.get(element) ?? (slot(element, "text") ?? slot(element, "prose"))?.innerText ?? "";

/** A message of a person; `pending` ones are not stored yet. */
export function userElement(message) {
  const element = fresh("t-user");
  name(element, message);
  texts.set(element, message.text);
  slot(element, "text").textContent = tricksShown(message.text);
  slot(element, "block").hidden = !message.text;
  const files = message.files ?? [];
  slot(element, "files").hidden = !files.length;
  slot(element, "files").append(...files.map(fileElement));
  return element;
}

function fileElement(file) {
  if (!file.id || file.isImage === false)
    return make("li", { class: "file" }, make("span", { class: "tag" }, icon("attach"), file.name));
  const address = `/chat/attachments/${file.id}/`;
  return make(
    "li",
    { class: "file" },
    make(
      "a",
      { href: address },
      make("img", { class: "file__image", src: address, alt: file.name }),
    ),
  );
}

/** Gives an element the identity of a stored message. */
export function name(element, message) {
  element.id = message.id ? `m-${message.id}` : "";
  Object.assign(element.dataset, {
    id: message.id ?? "",
    seq: message.seq ?? "",
    run: message.run ?? "",
    parent: message.parent ?? "",
  });
}

/** An empty answer; `answerShow` fills it. */
export function agentElement() {
  return fresh("t-agent");
}

/** Shows a stored answer: the server's HTML where there is some, else our own drawing. */
export function answerShow(element, message) {
  name(element, message);
  texts.set(element, message.text);
  element.classList.remove("message--live", "message--quiet");
  const prose = slot(element, "prose");
  if (message.html != null) prose.replaceChildren(...serverNodes(message.html));
  else if (message.text) new StreamedText(prose).say(message.text);
  else prose.replaceChildren();
  copyButtonsAdd(prose);
  thoughtShow(element, message.thinking, words.thought);
  slot(element, "error").hidden = !message.error;
  slot(element, "error-text").textContent = message.error ?? "";
}

/** The folded thoughts of an answer. */
export function thoughtShow(element, text, word) {
  slot(element, "thought").hidden = !text;
  slot(element, "thought-word").textContent = word;
  if (text) slot(element, "thinking").textContent = tricksShown(text);
}

/** The tool cards of an answer, as they stand now. */
export function answerCards(element, message, state) {
  if (message.calls?.length) cardsShow(slot(element, "cards"), message, state);
}

/** The line below a turn: model, tokens, cost, time, link. */
export function footShow(element, run) {
  const foot = slot(element, "foot") ?? element.appendChild(fresh("t-foot"));
  const usage = run.usage ?? {};
  const total =
    usage.totalTokens ??
    (run.usage && usage.input + usage.output + usage.cacheRead + usage.cacheWrite);
  slot(foot, "stopped").hidden = run.state !== "aborted";
  slot(foot, "model").textContent = run.model ?? "";
  slot(foot, "tokens").textContent =
    total == null ? "–" : (total < 10_000 ? plain : compact).format(total);
  slot(foot, "cost").textContent = money(usage.cost);
  slot(foot, "time").textContent = duration(
    run.endedAt && run.startedAt ? run.endedAt - run.startedAt : null,
  );
  slot(foot, "trace").hidden = !run.trace;
  slot(foot, "trace").textContent = run.trace ?? "";
  slot(foot, "run").href = `/runs/${run.internalRun || run.id}/`;
}

/** An amount in dollars; unknown is "–". */
export function money(cost) {
  const total = typeof cost === "number" ? cost : cost?.total;
  if (total == null) return "–";
  if (total === 0) return "$0.00";
  const places = total >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(total)));
  return `$${total.toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places })}`;
}

/** The line behind what was taken out of the model's context; it opens the summary. */
function dividerElement(message) {
  const element = fresh("t-divider");
  name(element, message);
  slot(element, "title").textContent = words.divider[message.of] ?? words.divider.summarised;
  slot(element, "text").textContent = tricksShown(message.text || words.divider.empty);
  return element;
}

/** A line that is neither of a person nor of an agent. */
export function noticeElement(message) {
  if (message.kind === "compaction") return dividerElement(message);
  const element = fresh("t-notice");
  name(element, message);
  element.textContent = tricksShown(message.text);
  return element;
}
