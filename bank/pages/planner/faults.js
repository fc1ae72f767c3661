// What can't be planned: which field, what is wrong, and what would be right.

import { NUMBERS } from "./fields.js";
import { sizes } from "./plan.js";

/** @typedef {import("./fields.js").State} State @typedef {import("./fields.js").Name} Name */

/** @param {State} state @returns {[Name, string][]} */
export function faults(state) {
  /** @type {[Name, string][]} */
  const found = [];
  for (const [key, field] of Object.entries(NUMBERS)) {
    const name = /** @type {Name} */ (key);
    const value = Number(state[name]);
    const whole = field.step !== undefined || Number.isInteger(value);
    if (!(value >= field.min && value <= field.max && whole))
      found.push([
        name,
        `${field.label}: ${field.step ? "a number" : "a whole number"} from ${field.min} to ${field.max.toLocaleString("en")}.`,
      ]);
  }
  if (found.length) return found;
  const replica = state.tensor * state.pipeline;
  if (state.gpus % replica) {
    const below = Math.floor(state.gpus / replica) * replica;
    const near = below ? `${below} or ${below + replica}` : `${replica}`;
    found.push([
      "gpus",
      `${state.gpus} GPUs don't make whole replicas of ${state.tensor} · ${state.pipeline}: ${near} do.`,
    ]);
  }
  if (state.heads % state.tensor)
    found.push([
      "tensor",
      `${state.heads} heads can't be shared among ${state.tensor} ranks: a divisor of ${state.heads} can.`,
    ]);
  if (state.hidden % state.heads)
    found.push(["heads", `A width of ${state.hidden} can't be cut into ${state.heads} heads.`]);
  if (state.heads % state.kv_heads)
    found.push([
      "kv_heads",
      `${state.heads} heads can't share ${state.kv_heads} keys: a divisor of ${state.heads} can.`,
    ]);
  if (state.pipeline > state.layers) found.push(["pipeline", `${state.layers} layers make at most as many stages.`]);
  if (state.active_experts > state.experts)
    found.push(["active_experts", `A token meets at most the ${state.experts} that there are.`]);
  const { data, shards } = sizes(state);
  if (!found.length && data % shards)
    found.push([
      "gpus",
      `${data} data-parallel ranks can't be cut into groups of ${shards}, those of a node: a multiple of ${shards * replica} GPUs can.`,
    ]);
  return found;
}
