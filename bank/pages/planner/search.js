// What to change in a plan: how many GPUs it takes, and which settings help most.

import { possible } from "./faults.js";
import { pace, peak, sizes } from "./plan.js";

/** @typedef {import("./fields.js").State} State */
/** A setting to change, in words. @typedef {{ words: string, change: Partial<State> }} Knob */
/** @typedef {{ knobs: Knob[], state: State, tokens: number }} Found */

const MOST = 1 << 17;
/** By how much another plan has to be faster to be worth a word. */
const WORTH = 1.02;
/** What rounding makes of equal speeds. */
const SAME = 1e-9;

/** Bytes that a plan may take. @param {State} state */
export const room = (state) => state.memory * 1e9 * (1 - state.spare / 100);

/** @param {State} state */
export const fits = (state) => peak(state).total <= room(state);

/** Sequences of a step, on all GPUs. @param {State} state */
export const batch = (state) => state.sequences * state.micro_batches * sizes(state).data;

/** The smallest number of GPUs on which a plan fits, its batch on each GPU the same; none if no number does. @param {State} state @returns {number | undefined} */
export function fewest(state) {
  const replica = state.tensor * state.pipeline;
  const on = (/** @type {number} */ ranks) => ({ ...state, gpus: ranks * replica });
  // One rank gathers nothing, and can hold less than two. From two on a GPU never holds more for there being more.
  if (fits(on(1))) return replica;
  let [low, high] = [2, Math.floor(MOST / replica)];
  if (state.strategy === "hsdp") high = Math.max(1, Math.floor(state.node_gpus / state.tensor));
  if (high < low || !fits(on(high))) return undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(on(middle))) high = middle;
    else low = middle + 1;
  }
  return low * replica;
}

/** What can be turned, and to what: of each setting the other values. @param {State} state @returns {Knob[][]} */
function knobs(state) {
  const powers = [1, 2, 4, 8, 16, 32, 64];
  /** @type {Knob[][]} */
  const every = [
    [
      { words: "recompute nothing", change: { recompute: "none" } },
      { words: "recompute every second matrix product", change: { recompute: "selective" } },
      { words: "recompute whole layers", change: { recompute: "full" } },
    ],
    [{ words: "use fused attention", change: { fused_attention: true } }],
    [{ words: "use a fused optimizer", change: { fused_optimizer: true } }],
    [
      { words: "keep the whole state on each GPU (DDP)", change: { strategy: "ddp" } },
      { words: "divide the optimizer state (ZeRO-1)", change: { strategy: "zero1" } },
      { words: "divide optimizer state and gradients (ZeRO-2)", change: { strategy: "zero2" } },
      { words: "divide state and parameters (ZeRO-3)", change: { strategy: "zero3" } },
      { words: "shard everything (FSDP2)", change: { strategy: "fsdp" } },
      { words: "shard everything and keep parameters after forward (FSDP2)", change: { strategy: "fsdp-kept" } },
      { words: "shard within each node (hybrid)", change: { strategy: "hsdp" } },
    ],
    powers.map((sequences) => ({
      words: `put ${sequences} ${sequences === 1 ? "sequence" : "sequences"} in a micro-batch`,
      change: { sequences },
    })),
    powers
      .filter((tensor) => tensor <= state.node_gpus)
      .map((tensor) => ({
        words: tensor === 1 ? "leave tensor parallelism" : `share each layer among ${tensor} tensor-parallel ranks`,
        change: { tensor },
      })),
    powers.map((pipeline) => ({
      words: pipeline === 1 ? "leave the pipeline" : `cut the layers into ${pipeline} pipeline stages`,
      change: { pipeline },
    })),
  ];
  const differs = (/** @type {Knob} */ { change }) =>
    Object.entries(change).some(([name, value]) => state[/** @type {keyof State} */ (name)] !== value);
  return every.map((values) => values.filter(differs));
}

/** Plans that differ in so many settings, their global batch the same. @param {State} state @param {number} many @returns {Generator<{ knobs: Knob[], state: State }>} */
function* turned(state, many) {
  const every = knobs(state);
  /** @type {(from: number, left: number) => Generator<Knob[]>} */
  function* chosen(from, left) {
    if (!left) yield [];
    else
      for (let i = from; i <= every.length - left; i++)
        for (const knob of every[i]) for (const rest of chosen(i + 1, left - 1)) yield [knob, ...rest];
  }
  for (const some of chosen(0, many)) {
    const other = Object.assign({}, state, ...some.map(({ change }) => change));
    other.micro_batches = batch(state) / (other.sequences * sizes(other).data);
    if (possible(other)) yield { knobs: some, state: other };
  }
}

/** Of the plans that differ in so many settings the fastest that fits; of equals the smallest. @param {State} state @param {number} many @returns {Found | undefined} */
function fastest(state, many) {
  /** @type {Found | undefined} */
  let best;
  for (const plan of turned(state, many)) {
    if (!fits(plan.state)) continue;
    const { tokens } = pace(plan.state);
    const gain = best ? tokens / best.tokens - 1 : 1;
    if (gain > SAME || (best && gain > -SAME && peak(plan.state).total < peak(best.state).total))
      best = { ...plan, tokens };
  }
  return best;
}

/**
 * What to turn first. Of a plan that fits, the one setting that makes it faster, if any does by enough. Of one that does not, as
 * few settings as make it fit, at most three; on more GPUs, twice as many again and again, where none do on these.
 * @param {State} state @returns {Found | undefined}
 */
export function advised(state) {
  if (fits(state)) {
    const found = fastest(state, 1);
    return found && found.tokens > WORTH * pace(state).tokens ? found : undefined;
  }
  for (const many of [1, 2, 3]) {
    const found = fastest(state, many);
    if (found) return found;
  }
  const more = [];
  for (let gpus = 2 * state.gpus; gpus <= MOST; gpus *= 2) more.push({ ...state, gpus });
  const some = (/** @type {State} */ other) => fastest(other, 0) ?? fastest(other, 1) ?? fastest(other, 2);
  const most = more.at(-1);
  // What fits on no number of GPUs does not on the most of them.
  if (!most || !some(most)) return undefined;
  for (const other of more) {
    const found = some(other);
    if (found) return found;
  }
}
