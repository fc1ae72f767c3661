// Numbers and formulas as they are read.

/** @typedef {import("./plan.js").Quantity} Quantity @typedef {import("./plan.js").Factor} Factor */

const POWERS = { 1e12: "10¹²", 1e9: "10⁹", 1e6: "10⁶" };

/** @param {number} value */
export function digits(value) {
  const size = [1e12, 1e9, 1e6].find((power) => Math.abs(value) >= power);
  if (size) return `${rounded(value / size)}·${POWERS[/** @type {keyof typeof POWERS} */ (size)]}`;
  return rounded(value);
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
export function size(bytes) {
  const [power, unit] = /** @type {[number, string]} */ (
    [
      [1e15, "PB"],
      [1e12, "TB"],
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "kB"],
    ].find(([least]) => bytes >= Number(least)) ?? [1, "B"]
  );
  const value = bytes / power;
  return `${value.toLocaleString("en", value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })} ${unit}`;
}

/** @param {number} seconds */
export function duration(seconds) {
  const [power, unit] = /** @type {[number, string]} */ (
    [
      [1, "s"],
      [1e-3, "ms"],
    ].find(([least]) => seconds >= Number(least)) ?? [1e-6, "µs"]
  );
  return `${(seconds / power).toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}`;
}

/** The factors of a quantity: what was multiplied, and by what divided. @param {Quantity} quantity */
export function formula({ terms }) {
  return terms
    .map((term) => {
      const telling = term.filter(([value]) => value !== 1);
      return (telling.length ? telling : term.slice(0, 1)).map(factor).join("");
    })
    .join(" + ");
}

/** @param {Factor} factor @param {number} i */
function factor([value, name, divides], i) {
  const sign = i ? (divides ? " ÷ " : " · ") : "";
  return sign + (name === "s" ? duration(value) : `${digits(value)} ${name}`.trim());
}
