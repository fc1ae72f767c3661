// What follows from a plan, as sections of the page.

import { element, row, table } from "./elements.js";
import { operations, pace, peak, seconds, sizes, stored, traffic } from "./plan.js";
import { advised, batch, fewest, fits, room } from "./search.js";
import { count, digits, duration, size, terms } from "./words.js";

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
  gather: "Gathers for forward",
  again: "Gathers for backward",
  reduce: "Reductions of gradients",
  across: "Between shard groups",
  tensor: "Tensor parallel",
  pipeline: "Between stages",
};
const SPANS = { forward: "Forward", backward: "Backward", idle: "Idle in the pipeline" };

/** @param {string} id @param {string} words */
const heading = (id, words) => element("h2", { id }, words);

/** What a quantity is the sum of, a line each, and at the end whatever goes with it. @param {import("./plan.js").Quantity} quantity @param {...Node} after */
function made(quantity, ...after) {
  const lines = terms(quantity).map((term, i) => element("span", { class: "term" }, i ? `+ ${term}` : term));
  lines.at(-1)?.append(" ", ...after);
  return lines;
}

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
    { class: `verdict-line ${fits(state) ? "fits" : "over"}`, tabindex: "-1" },
    element("b", {}, fits(state) ? "It fits." : "It does not fit."),
    ` ${size(total)} at the peak, ${MOMENTS[moment]}, of ${size(capacity)}${spare}.`,
  );
  const told = parts.map(({ kind, quantity }) => `${KINDS[kind]} ${size(quantity.value)}`).join(", ");
  const bar = element("div", { class: "stack", role: "img", "aria-label": `${told}; the GPU has ${size(capacity)}` });
  const share = (/** @type {number} */ bytes) => `${(100 * bytes) / Math.max(capacity, total)}%`;
  for (const { kind, quantity } of parts)
    bar.append(element("i", { class: `part ${kind}`, style: `inline-size: ${share(quantity.value)}` }));
  bar.append(element("b", { class: "limit", style: `inset-inline-start: ${share(free)}` }));

  const { parameters, data, shards, replicas, native } = sizes(state);
  const rows = parts.map(({ kind, quantity }) => {
    const inLayer = kind === "activations" ? made(stored(state, state.recompute), explained(kind)) : [];
    inLayer[0]?.prepend("a token in a layer: ");
    const how = inLayer.length ? [...made(quantity), ...inLayer] : made(quantity, explained(kind));
    return row([element("i", { class: `swatch ${kind}` }), KINDS[kind]], size(quantity.value), how);
  });
  const groups = state.strategy === "hsdp" ? ` in ${count(replicas, "shard group")} of ${shards}` : "";
  const whole = native && shards === 1 ? " A shard group of one GPU divides nothing." : "";
  const sequences = batch(state);
  return [
    heading("memory", "Memory"),
    verdict,
    bar,
    element(
      "p",
      { class: "aside" },
      `${digits(parameters)} parameters; ${count(data, "data-parallel rank")}${groups}.${whole} ` +
        `A step takes ${count(sequences, "sequence")}, ${digits(sequences * state.length)} tokens.`,
    ),
    table(["At the peak", "on a GPU", "made of"], rows),
  ];
}

/** What a route carries. @param {State} state @param {keyof typeof ROUTES} route */
function routeName(state, route) {
  return route === "gather" && ["zero1", "zero2"].includes(state.strategy) ? "Gather after the update" : ROUTES[route];
}

/** @param {State} state @param {Around} around */
export function communication(state, { explained }) {
  const sent = traffic(state);
  const routes = /** @type {(keyof typeof ROUTES)[]} */ (Object.keys(ROUTES)).filter((route) => sent[route].value > 0);
  if (!routes.length) return [heading("traffic", "Traffic"), element("p", {}, "One GPU alone sends nothing.")];
  const rows = routes.map((route) =>
    row([routeName(state, route)], size(sent[route].value), made(sent[route], explained(route))),
  );
  return [heading("traffic", "Traffic"), table(["In a step", "a GPU sends", "made of"], rows)];
}

/** @param {State} state @param {Around} around */
export function time(state, { explained }) {
  const took = seconds(state);
  const { hidden, exposed, tokens } = pace(state);
  const needed = operations(state);
  const names = /** @type {(keyof typeof took)[]} */ (Object.keys({ ...SPANS, ...ROUTES }));
  const parts = names.filter((name) => took[name].value > 0);
  const longest = Math.max(...parts.map((name) => took[name].value));
  const rows = parts.map((name) => {
    const length = `inline-size: ${(100 * took[name].value) / longest}%`;
    const words =
      name in SPANS
        ? SPANS[/** @type {keyof typeof SPANS} */ (name)]
        : routeName(state, /** @type {keyof typeof ROUTES} */ (name));
    const head = [words, element("i", { class: `length ${name}`, style: length })];
    return row(head, duration(took[name].value), made(took[name], explained(name)));
  });
  const passes = /** @type {("forward" | "backward")[]} */ (["forward", "backward"]).map((pass) =>
    row([SPANS[pass]], digits(needed[pass].value), made(needed[pass])),
  );
  const span =
    duration(hidden) === duration(exposed)
      ? duration(hidden)
      : `${duration(hidden)} if traffic runs beside compute where it can, ${duration(exposed)} if it never does`;
  const speed = `at best ${digits(Math.round(tokens))} tokens a second on each GPU, ${digits(Math.round(tokens * state.gpus))} on all`;
  return [
    heading("time", "Time"),
    element("p", {}, `A step takes ${span}; ${speed}. ${cover(state)}`),
    table(["By itself", "takes", "made of"], rows),
    table(["In a step", "operations", "made of"], passes),
  ];
}

/** How much of the data-parallel traffic compute can hide. @param {State} state */
function cover(state) {
  const { data, waited } = pace(state);
  if (!data) return "";
  if (!waited) return `The data-parallel traffic, ${duration(data)}, can all run beside compute.`;
  return `Of the ${duration(data)} of data-parallel traffic ${duration(waited)} at least are waited for: they find no compute to run beside.`;
}

/** @param {State} state @param {Around} around */
export function advice(state, { explained, set }) {
  const least = fewest(state);
  const setup = "With this division, and this batch on each GPU,";
  const enough =
    least === undefined
      ? [`${setup} it fits on no number of GPUs: what sharding leaves whole is too much. `]
      : fits(state)
        ? [
            `${setup} it fits on ${count(least, "GPU")}${least === state.gpus ? ", as planned, and on no fewer" : " already"}. `,
          ]
        : [`${setup} it fits on ${count(least, "GPU")}. `, button({ ...state, gpus: least }, set), " "];
  return [heading("knobs", "What to change"), element("p", {}, ...enough, explained("fewest")), first(state, set)];
}

/** @param {State} state @param {Around["set"]} set */
function first(state, set) {
  const found = advised(state);
  if (!found)
    return element(
      "p",
      {},
      fits(state)
        ? "By these figures none of the single changes tried makes it faster by more than 2%."
        : "None of the changes tried, up to three at once on these GPUs, or two on more, makes it fit.",
    );
  const { knobs, state: other } = found;
  const steps = [
    ...(other.gpus === state.gpus ? [] : [`take ${count(other.gpus, "GPU")}`]),
    ...knobs.map(({ words }) => words),
  ].join(", and ");
  const settled =
    other.micro_batches === state.micro_batches
      ? ""
      : `, with ${count(other.micro_batches, "micro-batch", "micro-batches")} a step`;
  const sequences =
    batch(other) === batch(state) ? "as many sequences a step" : `${count(batch(other), "sequence")} a step`;
  const change = (100 * found.tokens) / pace(state).tokens - 100;
  const percent = Math.abs(change).toLocaleString("en", { maximumFractionDigits: 0 });
  const speed = percent === "0" ? "each GPU as fast" : `each GPU ${percent}% ${change > 0 ? "faster" : "slower"}`;
  const outcome = `${size(peak(other).total)} at the peak, which fits, ${sequences}, and ${speed} at best. `;
  return element("p", {}, `First, ${steps}${settled}: ${outcome}`, button(other, set));
}

/** @param {State} state @param {Around["set"]} set */
function button(state, set) {
  const made = element("button", { type: "button", class: "quiet" }, "Plan that");
  made.addEventListener("click", () => set(state));
  return made;
}
