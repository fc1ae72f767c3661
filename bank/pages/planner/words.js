// Numbers and formulas as they are read.

/** @typedef {import("./plan.js").Quantity} Quantity @typedef {import("./plan.js").Factor} Factor */

/** @type {[number, string][]} */
const POWERS = [
  [1e18, "10¹⁸"],
  [1e15, "10¹⁵"],
  [1e12, "10¹²"],
  [1e9, "10⁹"],
  [1e6, "10⁶"],
];
/** @type {[number, string][]} */
const SIZES = [
  [1e18, "EB"],
  [1e15, "PB"],
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [0, "B"],
];
/** @type {[number, string][]} */
const TIMES = [
  [86400, "days"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
  [1e-3, "ms"],
  [0, "µs"],
];
/** What a unit is of the first one. @type {Record<string, number>} */
const SMALLEST = { B: 1, µs: 1e-6 };

/** @param {number} number @param {string} noun @param {string} nouns */
export function count(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}

/** @param {number} value */
export function digits(value) {
  const [power, sign] = POWERS.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  // A number of a few digits is written out.
  if (power === 1 || (Number.isInteger(value) && value < 1e7)) return rounded(value);
  return `${rounded(value / power)}·${sign}`;
}

/** To three digits, or a whole number whole. @param {number} value */
function rounded(value) {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const places =
    Math.abs(value) >= 1e-6
      ? { maximumSignificantDigits: Math.abs(value) >= 1000 ? 4 : 3 }
      : { notation: /** @type {const} */ ("scientific"), maximumSignificantDigits: 3 };
  return value.toLocaleString("en", places);
}

/** @param {number} bytes */
export const size = (bytes) => inUnits(bytes, SIZES);

/** @param {number} seconds */
export const duration = (seconds) => inUnits(seconds, TIMES);

/** @param {number} value @param {[number, string][]} units */
function inUnits(value, units) {
  const [least, unit] = /** @type {[number, string]} */ (units.find(([from]) => value >= from));
  const times = value / (least || SMALLEST[unit]);
  return `${times.toLocaleString("en", times >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })} ${unit}`;
}

/** What is summed to a quantity: of each term the factors, multiplied or divided by. @param {Quantity} quantity */
export function terms({ terms }) {
  return terms.map((term) => {
    const telling = term.filter(([value]) => value !== 1);
    return (telling.length ? telling : term.slice(0, 1)).map(factor).join("");
  });
}

/** @param {Factor} factor @param {number} i */
function factor([value, name, divides], i) {
  const sign = i ? (divides ? " ÷ " : " · ") : divides ? "1 ÷ " : "";
  return sign + (name === "s" ? duration(value) : `${digits(value)} ${value === 1 ? single(name) : name}`.trim());
}

/** @param {string} nouns */
const single = (nouns) => nouns.replace(/(ss|ch)es$|s$/, "$1");
