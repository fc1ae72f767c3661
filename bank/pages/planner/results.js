// What follows from a plan, as sections of the page.

import { element, row, table } from "./elements.js";
import { operations, pace, peak, seconds, sizes, stored, traffic } from "./plan.js";
import { fewest, firstKnob, fits, room } from "./search.js";
import { digits, duration, formula, size } from "./words.js";

/**
 * `explained` gives the link to the question on a thing, `set` makes another plan the plan.
 * @typedef {import("./fields.js").State} State
 * @typedef {import("./plan.js").Kind} Kind
 * @typedef {import("./plan.js").Quantity} Quantity
 * @typedef {{ explained: (of: string) => Node, set: (state: State) => void }} Around
 */

/** @type {Record<Kind, string>} */
const KINDS = {
  parameters: "Parameters",
  gradients: "Gradients",
  optimizer: "Optimizer state",
  gathered: "Gathered parameters",
  whole_gradients: "Whole gradients, buffers",
  activations: "Activations",
  logits: "Logits",
  temporaries: "Update of the optimizer",
};
/** @type {Record<string, string>} */
const MOMENTS = {
  loss: "where the loss is computed",
  backward: "where backward begins",
  end: "where backward ends",
  step: "in the optimizer’s step",
};
const ROUTES = {
  within: "Data parallel",
  across: "Between shard groups",
  tensor: "Tensor parallel",
  pipeline: "Between stages",
};

/** @param {string} id @param {string} words */
const heading = (id, words) => element("h2", { id }, words);

/** @param {number} number @param {string} noun */
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** Whether it fits, in few words. @param {State} state */
export function standing(state) {
  return `${fits(state) ? "It fits" : "It does not fit"}: ${size(peak(state).total)} of ${size(room(state))}`;
}

/** @param {State} state @param {Around} around */
export function memory(state, { explained }) {
  const { moment, held, total } = peak(state);
  const [capacity, free] = [state.memory * 1e9, room(state)];
  const order = /** @type {Kind[]} */ (Object.keys(KINDS));
  const parts = order.flatMap((kind) => {
    const quantity = held[kind];
    return quantity?.value ? [{ kind, quantity }] : [];
  });
  const spare = state.spare ? ` less ${state.spare}%, ${size(free)}` : "";
  const verdict = element(
    "p",
    { class: `verdict-line ${fits(state) ? "fits" : "over"}` },
    element("b", {}, fits(state) ? "It fits." : "It does not fit."),
    ` ${size(total)} at the peak, ${MOMENTS[moment]}, of ${size(capacity)}${spare}.`,
  );
  const told = parts.map(({ kind, quantity }) => `${KINDS[kind]} ${size(quantity.value)}`).join(", ");
  const bar = element("div", { class: "stack", role: "img", "aria-label": `${told}; the GPU has ${size(capacity)}` });
  const share = (/** @type {number} */ bytes) => `${(100 * bytes) / Math.max(capacity, total)}%`;
  for (const { kind, quantity } of parts)
    bar.append(element("i", { class: `part ${kind}`, style: `inline-size: ${share(quantity.value)}` }));
  bar.append(element("b", { class: "limit", style: `inset-inline-start: ${share(free)}` }));

  const { parameters, data, shards, replicas } = sizes(state);
  const groups = state.strategy === "hsdp" ? ` in ${count(replicas, "shard group")} of ${shards}` : "";
  const rows = parts.map(({ kind, quantity }) =>
    row([element("i", { class: `swatch ${kind}` }), document.createTextNode(KINDS[kind])], size(quantity.value), [
      formula(quantity),
      kind === "activations" ? `; of a token in a layer: ${formula(stored(state, state.recompute))} ` : " ",
      explained(kind),
    ]),
  );
  return [
    heading("memory", "Memory"),
    verdict,
    bar,
    element(
      "p",
      { class: "aside" },
      `${digits(parameters)} parameters; ${count(data, "data-parallel rank")}${groups}.`,
    ),
    table(["At the peak", "on a GPU", "made of"], rows),
  ];
}

/** @param {State} state @param {Around} around */
export function communication(state, { explained }) {
  const sent = traffic(state);
  const routes = /** @type {(keyof typeof ROUTES)[]} */ (Object.keys(ROUTES)).filter((route) => sent[route].value > 0);
  if (!routes.length) return [heading("traffic", "Traffic"), element("p", {}, "One GPU alone sends nothing.")];
  const rows = routes.map((route) =>
    row([document.createTextNode(ROUTES[route])], size(sent[route].value), [
      formula(sent[route]),
      " ",
      explained(route),
    ]),
  );
  return [heading("traffic", "Traffic"), table(["In a step", "a GPU sends", "made of"], rows)];
}

/** @param {State} state @param {Around} around */
export function time(state, { explained }) {
  const took = seconds(state);
  const { hidden, exposed, tokens } = pace(state);
  const names = { compute: "Compute", bubble: "Idle in the pipeline", ...ROUTES };
  const parts = /** @type {(keyof typeof names)[]} */ (Object.keys(names)).filter((name) => took[name].value > 0);
  const longest = Math.max(...parts.map((name) => took[name].value));
  const rows = parts.map((name) => {
    const length = `inline-size: ${(100 * took[name].value) / longest}%`;
    const head = [document.createTextNode(names[name]), element("i", { class: `length ${name}`, style: length })];
    const more = name === "compute" ? `; the operations: ${formula(operations(state))} ` : " ";
    return row(head, duration(took[name].value), [formula(took[name]), more, explained(name)]);
  });
  const span =
    hidden === exposed
      ? duration(hidden)
      : `${duration(hidden)} if data-parallel traffic runs beside compute, ${duration(exposed)} if none does`;
  const speed = `at best ${digits(Math.round(tokens))} tokens a second on each GPU`;
  return [
    heading("time", "Time"),
    element("p", {}, `A step takes ${span}; ${speed}. ${cover(took)}`),
    table(["By itself", "takes", "made of"], rows),
  ];
}

/** Whether compute lasts as long as what can run beside it. @param {ReturnType<typeof seconds>} took */
function cover(took) {
  const data = took.within.value + took.across.value;
  if (!data) return "";
  if (data > took.compute.value) return "Data-parallel traffic lasts longer than compute: part of it is waited for.";
  const times = (took.compute.value / data).toLocaleString("en", { maximumSignificantDigits: 2 });
  return `Compute lasts ${times} times as long as the data-parallel traffic, which can hide behind it.`;
}

/** @param {State} state @param {Around} around */
export function advice(state, { explained, set }) {
  const least = fewest(state);
  const setup = "With this division, and this batch on each GPU,";
  const enough =
    least === undefined
      ? [`${setup} it fits on no number of GPUs: what sharding leaves whole is too much. `]
      : least === state.gpus
        ? [`${setup} it fits on ${count(least, "GPU")}, as planned, and on no fewer. `]
        : [`${setup} it fits from ${count(least, "GPU")} on. `, button({ ...state, gpus: least }, set), " "];
  return [heading("knobs", "What to change"), element("p", {}, ...enough, explained("fewest")), turned(state, set)];
}

/** @param {State} state @param {Around["set"]} set */
function turned(state, set) {
  const knob = firstKnob(state);
  if (!knob)
    return element(
      "p",
      {},
      fits(state) ? "None of the single changes tried makes it faster by more than 2%, by these figures." : "None of the single changes tried frees memory.",
    );
  const change = (100 * pace(knob.state).tokens) / pace(state).tokens - 100;
  const percent = Math.abs(change).toLocaleString("en", { maximumFractionDigits: 0 });
  const speed = percent === "0" ? "as fast" : `${percent}% ${change > 0 ? "faster" : "slower"}`;
  const outcome = `${size(peak(knob.state).total)} at the peak, ${knob.fits ? "which fits" : "still too much"}, and ${speed} at best. `;
  return element("p", {}, `First, ${knob.words}: ${outcome}`, button(knob.state, set));
}

/** @param {State} state @param {Around["set"]} set */
function button(state, set) {
  const made = element("button", { type: "button", class: "quiet" }, "Plan that");
  made.addEventListener("click", () => set(state));
  return made;
}
