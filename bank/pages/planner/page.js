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
const form = planForm(/** @type {HTMLFormElement} */ (part("form")), (change) => set({ ...state, ...change }));

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

const start = read(location.search);
let state = start.state;

/** @param {State} other */
function set(other) {
  state = other;
  show();
}

function show() {
  form.fill(state);
  const wrong = faults(state);
  form.mark(wrong.map(([name]) => name));
  part(".wrong").replaceChildren(...wrong.map(([, words]) => element("p", {}, words)));
  part(".plan").classList.toggle("stale", wrong.length > 0);
  if (wrong.length) return;
  const query = written(state);
  history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
  const around = { explained, set };
  const verdict = standing(state);
  // Told again only when it is another.
  if (part(".standing").textContent !== verdict) part(".standing").textContent = verdict;
  part(".plan").replaceChildren(...[memory, communication, time, advice].flatMap((section) => section(state, around)));
}

part(".copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    part(".copy").textContent = "Copied";
  } catch {
    // Without a secure page there is no clipboard.
    part(".copy").textContent = "It is in the address bar";
  }
});
part(".again").addEventListener("click", () => set(BEGINNING));
if (start.unread.length)
  part(".unread").append(`Not understood in the address, and left out: ${start.unread.join(", ")}.`);
planner.hidden = false;
show();
