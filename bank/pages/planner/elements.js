// Elements of the page, made by hand.

/**
 * @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} inside
 */
export function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

/** @param {string[]} heads @param {Node[]} rows */
export function table(heads, rows) {
  const columns = heads.map((head) => element("th", { scope: "col" }, head));
  const head = element("thead", {}, element("tr", {}, ...columns));
  return element("table", { class: "made" }, head, element("tbody", {}, ...rows));
}

/** A row: what it is, how much, and what that is made of. @param {(Node | string)[]} name @param {string} amount @param {(Node | string)[]} how */
export function row(name, amount, how) {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, ...name),
    element("td", {}, amount),
    element("td", { class: "how" }, ...how),
  );
}
