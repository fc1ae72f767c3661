// A plan in the address: what differs from the beginning, under the names of the fields.

import { BEGINNING, CHOICES, NUMBERS, SWITCHES } from "./fields.js";

/** @typedef {import("./fields.js").State} State @typedef {import("./fields.js").Name} Name */

/** @param {State} state */
export function written(state) {
  const query = new URLSearchParams();
  for (const name of /** @type {Name[]} */ (Object.keys(BEGINNING)))
    if (state[name] !== BEGINNING[name]) query.set(name, String(state[name]));
  return query.toString();
}

/** What an address says, and which of its words say nothing. @param {string} address @returns {{ state: State, unread: string[] }} */
export function read(address) {
  /** @type {Record<string, string | number | boolean>} */
  const state = { ...BEGINNING };
  const unread = [];
  for (const [key, word] of new URLSearchParams(address)) {
    const name = /** @type {Name} */ (key);
    const field = Object.hasOwn(NUMBERS, name) ? NUMBERS[name] : undefined;
    if (field && readable(field, word)) state[name] = Number(word);
    else if (Object.hasOwn(SWITCHES, name) && ["true", "false"].includes(word)) state[name] = word === "true";
    else if (Object.hasOwn(CHOICES, name) && Object.hasOwn(CHOICES[name]?.options ?? {}, word)) state[name] = word;
    else unread.push(`${key}=${word}`);
  }
  return { state: /** @type {State} */ (/** @type {unknown} */ (state)), unread };
}

/** @param {import("./fields.js").NumberField} field @param {string} word */
function readable({ min, max, step }, word) {
  const written = step === undefined ? /^\d+$/ : /^\d+(\.\d+)?(e[+-]?\d+)?$/;
  return written.test(word) && Number(word) >= min && Number(word) <= max;
}
