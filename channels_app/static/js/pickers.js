// The pickers below the field: agent, model, thinking, and the switch for reasoning.

import { one } from "./dom.js";
import { toast } from "./toast.js";
import { settings, words } from "./words.js";

const SCALE = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const model = one("#model-select");
const think = one("#think-select");
const reasoning = one("#reasoning-switch");

/** The level that a model with these levels does for `wanted`: itself, or the nearest below. */
export function fitted(wanted, levels) {
  if (levels.includes(wanted)) return wanted;
  const place = SCALE.indexOf(wanted === "adaptive" ? "medium" : wanted);
  return (
    levels.findLast((level) => SCALE.includes(level) && SCALE.indexOf(level) <= place) ?? levels[0]
  );
}

/** Begins to listen; `ask` sends a request over the socket. */
export function pickersConnect(ask) {
  const agent = one("#agent-select");
  agent?.addEventListener("change", () =>
    location.assign(agent.dataset.go + encodeURIComponent(agent.value)),
  );
  async function set(change) {
    if (!settings.exists) await ask("sessions.create", { key: settings.key });
    settings.exists = true;
    pickersShow((await ask("sessions.patch", { key: settings.key, ...change })).entry);
  }
  selectConnect(model, (value) => set({ model: value }));
  selectConnect(think, (value) => set({ thinkingLevel: value }));
  reasoning.hidden = false;
  reasoning.addEventListener("click", () => {
    const isOn = reasoning.getAttribute("aria-pressed") === "true";
    set({ reasoningLevel: isOn ? "off" : "stream" }).catch((error) => toast(error.message, "bad"));
  });
}

function selectConnect(select, set) {
  select.dataset.before = select.value;
  select.addEventListener("change", async () => {
    try {
      await set(select.value || null);
      select.dataset.before = select.value;
    } catch (error) {
      select.value = select.dataset.before;
      toast(error.message, "bad");
    }
  });
}

/** Shows what a session's row says, also when another client or a command changed it. */
export function pickersShow(session) {
  if (!session) return;
  choose(model, session.model ? `${session.modelProvider}/${session.model}` : "");
  levelsShow(model.selectedOptions[0]?.dataset.levels, session.thinkingLevel ?? "");
  const { inherited } = settings;
  settings.showing = {
    verbose: session.verboseLevel ?? inherited.verbose,
    reasoning: session.reasoningLevel ?? inherited.reasoning,
    trace: session.traceLevel ?? inherited.trace,
  };
  reasoning.setAttribute("aria-pressed", String(settings.showing.reasoning !== "off"));
  one("#transcript").dataset.verbose = settings.showing.verbose;
}

function choose(select, value) {
  const known = [...select.options].some((option) => option.value === value);
  if (!known) select.append(new Option(value, value));
  select.value = select.dataset.before = value;
}

/** The levels of the chosen model; a model that cannot think has no picker. */
function levelsShow(text, chosen) {
  const levels = (text ?? SCALE.join(" ")).split(" ");
  const shown = fitted(think.dataset.inherited, levels);
  const said = (level) => words.think.replace("{level}", level);
  think.replaceChildren(
    new Option(said(shown), ""),
    ...levels.filter((level) => level !== shown).map((level) => new Option(said(level), level)),
  );
  const level = chosen && fitted(chosen, levels);
  think.value = think.dataset.before = level === shown ? "" : level;
  think.parentElement.hidden = levels.length < 2;
}
