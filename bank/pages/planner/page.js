// The planner: a form, what follows from it, and the plan in the address.

import { read, written } from "./address.js";
import { element } from "./elements.js";
import { faults } from "./faults.js";
import { BEGINNING } from "./fields.js";
import { planForm } from "./form.js";
import { advice, communication, memory, standing, time } from "./results.js";

/** @typedef {import("./fields.js").State} State */

const planner = /** @type {HTMLElement} */ (document.querySelector(".planner"));
const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (planner.querySelector(selector));
const form = planForm(/** @type {HTMLFormElement} */ (part("form")), (change, many) =>
  set({ ...state, ...change }, many, true),
);

// Which question explains what is written on the page, so that a build knows the links.
const questions = new Map(
  [...planner.querySelectorAll(".explains [data-of]")].map((item) => [item.getAttribute("data-of"), item.innerHTML]),
);
/** @param {string} of */
function explained(of) {
  const link = element("span", { class: "asked" });
  link.innerHTML = questions.get(of) ?? "";
  return link;
}

const copy = /** @type {HTMLButtonElement} */ (part(".copy"));
const offer = copy.textContent;
let state = BEGINNING;

/** The plan of the address; what of the address is none is told. */
function opened() {
  const { state: told, unread } = read(location.search);
  part(".unread").textContent = unread.length
    ? `Not understood in the address, and left out: ${unread.join(", ")}.`
    : "";
  return told;
}

/**
 * Makes another plan the plan; one that is far from it can be left again by going back.
 * @param {State} other @param {boolean} far @param {boolean} typing
 */
function set(other, far, typing = false) {
  state = other;
  part(".unread").textContent = "";
  if (show(typing)) remember(far);
}

/** Shows the plan that the address tells, and takes out of it what it does not. */
function open() {
  state = opened();
  if (show(false) && part(".unread").textContent) remember(false);
}

/** Shows the plan and whether there is one. @param {boolean} typing */
function show(typing) {
  form.fill(state, typing);
  const wrong = faults(state);
  form.mark(wrong);
  part(".wrong").replaceChildren(...wrong.map(([, words]) => element("p", {}, words)));
  const stale = wrong.length > 0;
  part(".plan").classList.toggle("stale", stale);
  part(".plan").inert = copy.disabled = stale;
  copy.textContent = offer;
  const verdict = stale ? `No plan: ${wrong.map(([, words]) => words).join(" ")}` : standing(state);
  part(".standing").classList.toggle("stale", stale);
  // Told again only when it is another.
  if (part(".standing").textContent !== verdict) part(".standing").textContent = verdict;
  if (stale) return false;
  const around = { explained, set: follow };
  part(".plan").replaceChildren(...[memory, communication, time, advice].flatMap((section) => section(state, around)));
  return true;
}

/** Plans what was advised, and goes to what comes of it, as the button is gone. @param {State} other */
function follow(other) {
  set(other, true);
  part(".verdict-line").focus();
}

/** @param {boolean} far */
function remember(far) {
  const query = written(state);
  const address = (query ? `?${query}` : location.pathname) + location.hash;
  if (far) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    copy.textContent = "Copied";
  } catch {
    // Without a secure page there is no clipboard.
    copy.textContent = "It is in the address bar";
  }
});
part(".again").addEventListener("click", () => set(BEGINNING, true));
addEventListener("popstate", open);
planner.hidden = false;
open();
