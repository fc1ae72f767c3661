// What to change in a plan: how many GPUs it takes, and which one setting helps most.

import { faults } from "./faults.js";
import { pace, peak } from "./plan.js";

/** @typedef {import("./fields.js").State} State */

const MOST = 1 << 17;

/** Bytes that a plan may take. @param {State} state */
export const room = (state) => state.memory * 1e9 * (1 - state.spare / 100);

/** @param {State} state */
export const fits = (state) => peak(state).total <= room(state);

/** The smallest number of GPUs on which a plan fits, its batch on each GPU the same; none if no number does. @param {State} state @returns {number | undefined} */
export function fewest(state) {
  const replica = state.tensor * state.pipeline;
  const group = state.strategy === "hsdp" ? Math.max(1, Math.floor(state.node_gpus / state.tensor)) : 1;
  // In a node any number of ranks; beyond, whole groups. What a GPU holds never grows with them.
  const gpus = (/** @type {number} */ i) => replica * (i < group ? i + 1 : group * (i - group + 2));
  let [low, high] = [0, group - 1 + Math.max(0, Math.floor(MOST / (replica * group)) - 1)];
  if (!fits({ ...state, gpus: gpus(high) })) return undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits({ ...state, gpus: gpus(middle) })) high = middle;
    else low = middle + 1;
  }
  return gpus(low);
}

/** Single changes, each in words. @param {State} state @returns {{ words: string, state: State }[]} */
function changes(state) {
  /** @type {[string, Partial<State>][]} */
  const every = [
    ["recompute whole layers", { recompute: "full" }],
    ["recompute every second matrix product", { recompute: "selective" }],
    ["recompute nothing", { recompute: "none" }],
    ["use fused attention", { fused_attention: true }],
    ["keep whole state on each GPU, as DDP does", { strategy: "ddp" }],
    ["divide the optimizer state: ZeRO-1", { strategy: "zero1" }],
    ["shard everything: FSDP2", { strategy: "fsdp" }],
    ["keep parameters after forward", { strategy: "fsdp-kept" }],
    ["shard within each node: hybrid", { strategy: "hsdp" }],
    [
      "halve the micro-batch, and run twice as many",
      { sequences: state.sequences / 2, micro_batches: state.micro_batches * 2 },
    ],
    [
      "double the micro-batch, and run half as many",
      { sequences: state.sequences * 2, micro_batches: state.micro_batches / 2 },
    ],
    ["share each layer among twice as many tensor-parallel ranks", { tensor: state.tensor * 2 }],
    ["take away half of the tensor-parallel ranks", { tensor: state.tensor / 2 }],
  ];
  return every
    .map(([words, change]) => ({ words, state: { ...state, ...change } }))
    .filter(({ state: other }) => !faults(other).length && other.tensor <= other.node_gpus)
    .filter(({ state: other }) =>
      Object.keys(other).some(
        (name) => other[/** @type {keyof State} */ (name)] !== state[/** @type {keyof State} */ (name)],
      ),
    );
}

/**
 * The one change to make first. Of a plan that does not fit: the one that makes it fit and runs fastest, or else the one that
 * frees most. Of one that fits: the one that runs faster, if any does by more than 2%.
 * @param {State} state @returns {{ words: string, state: State, fits: boolean } | undefined}
 */
export function firstKnob(state) {
  const there = changes(state);
  const fitting = there.filter(({ state: other }) => fits(other));
  const fastest = fitting.reduce(
    (/** @type {typeof there[number] | undefined} */ best, other) =>
      !best || pace(other.state).tokens > pace(best.state).tokens ? other : best,
    undefined,
  );
  if (fits(state))
    return fastest && pace(fastest.state).tokens > 1.02 * pace(state).tokens ? { ...fastest, fits: true } : undefined;
  if (fastest) return { ...fastest, fits: true };
  const [least] = there.sort((one, other) => peak(one.state).total - peak(other.state).total);
  return least && peak(least.state).total < peak(state).total ? { ...least, fits: false } : undefined;
}
