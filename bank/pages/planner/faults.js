// What can't be planned: which field, what is wrong, and what would be right.

import { NUMBERS } from "./fields.js";
import { sizes } from "./plan.js";
import { count } from "./words.js";

/** @typedef {import("./fields.js").State} State @typedef {import("./fields.js").Name} Name */

const REACH = 4096;

/** @param {State} state @returns {[Name, string][]} */
export function faults(state) {
  const bounds = outside(state);
  if (bounds.length) return bounds;
  return clashes(state).map(([name, wrong]) => [name, wrong + right(state, name)]);
}

/** @param {State} state */
export const possible = (state) => !outside(state).length && !clashes(state).length;

/** Numbers that are none, or beyond what they can be. @param {State} state @returns {[Name, string][]} */
function outside(state) {
  return Object.entries(NUMBERS).flatMap(([key, { label, min, max, step }]) => {
    const value = Number(state[/** @type {Name} */ (key)]);
    if (value >= min && value <= max && (step !== undefined || Number.isInteger(value))) return [];
    const kind = step === undefined ? "a whole number" : "a number";
    return [[/** @type {Name} */ (key), `${label}: ${kind} from ${min} to ${max.toLocaleString("en")}.`]];
  });
}

/** Settings that don't go together. @param {State} state @returns {[Name, string][]} */
function clashes(state) {
  const replica = state.tensor * state.pipeline;
  const { data, shards } = sizes(state);
  const ranks = count(state.tensor, "rank");
  const rules = /** @type {[boolean, Name, string][]} */ ([
    [
      state.gpus % replica === 0,
      "gpus",
      `${count(state.gpus, "GPU")} can’t be cut into replicas of ${state.tensor} · ${state.pipeline}`,
    ],
    [
      state.gpus % replica > 0 || data % shards === 0,
      "gpus",
      `${count(data, "data-parallel rank")} can’t be cut into groups of ${shards}, those of a node`,
    ],
    [state.heads % state.tensor === 0, "tensor", `${count(state.heads, "head")} can’t be shared among ${ranks}`],
    [
      state.hidden % state.heads === 0,
      "heads",
      `A width of ${state.hidden} can’t be cut into ${count(state.heads, "head")}`,
    ],
    [
      state.heads % state.kv_heads === 0,
      "kv_heads",
      `${count(state.heads, "head")} can’t share ${count(state.kv_heads, "key")}`,
    ],
    [
      state.pipeline <= state.layers,
      "pipeline",
      `${count(state.layers, "layer")} can’t make ${count(state.pipeline, "stage")}`,
    ],
    [
      state.micro_batches >= state.pipeline,
      "micro_batches",
      `${count(state.micro_batches, "micro-batch", "micro-batches")} can’t fill ${count(state.pipeline, "stage")}`,
    ],
    [
      state.active_experts <= state.experts,
      "active_experts",
      `A token can’t meet ${state.active_experts} of ${count(state.experts, "expert")}`,
    ],
  ]);
  return rules.filter(([holds]) => !holds).map(([, name, wrong]) => [name, wrong]);
}

/** The nearest values of a field with which it clashes with nothing, and nothing else does that did not before. @param {State} state @param {Name} name */
function right(state, name) {
  const step = name === "gpus" ? state.tensor * state.pipeline : 1;
  const { min, max } = /** @type {import("./fields.js").NumberField} */ (NUMBERS[name]);
  const before = clashes(state);
  const from = Math.floor(Number(state[name]) / step);
  /** @param {number} way */
  const nearest = (way) => {
    for (let i = way > 0 ? 1 : 0; i < REACH; i++) {
      const value = (from + way * i) * step;
      if (value < min || value > max) return [];
      const left = clashes({ ...state, [name]: value });
      if (left.length < before.length && left.every(([other]) => other !== name)) return [value];
    }
    return [];
  };
  const values = [...nearest(-1), ...nearest(1)].map((value) => value.toLocaleString("en"));
  return values.length ? `: ${values.join(" or ")} can.` : ".";
}
