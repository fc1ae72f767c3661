// The form of a plan: a field for each setting, and names for what several can be set to at once.

import { element } from "./elements.js";
import { BEGINNING, CHOICES, DEVICES, GROUPS, MODELS, NUMBERS, SWITCHES } from "./fields.js";

/** @typedef {import("./fields.js").State} State @typedef {import("./fields.js").Name} Name */

/** @type {Record<string, { label: string, of: Record<string, Partial<State>> }>} */
const PRESETS = { Model: { label: "Shape", of: MODELS }, GPUs: { label: "Kind", of: DEVICES } };

/**
 * Builds the form; `changed` is told what a reader changes, and whether that is many settings at once. Gives what shows a
 * state in it, and what tells under the fields that are wrong what is.
 * @param {HTMLFormElement} form @param {(change: Partial<State>, many: boolean) => void} changed
 */
export function planForm(form, changed) {
  for (const [heading, shown, folded] of GROUPS) {
    const group = element("fieldset", {}, element("legend", {}, heading));
    const presets = PRESETS[heading];
    if (presets) {
      const names = Object.keys(presets.of).map((name) => /** @type {[string, string]} */ ([name, name]));
      group.append(selection(heading, presets.label, [...names, ["", "its own"]]));
    }
    group.append(...shown.map(field));
    if (folded.length) group.append(element("details", {}, element("summary", {}, "More"), ...folded.map(field)));
    form.append(group);
  }
  const control = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));
  const unfold = (/** @type {Element} */ input) =>
    input.closest("fieldset")?.querySelector("details")?.setAttribute("open", "");

  // Presets that a reader has left for values of their own, which may still be the same.
  const own = new Set();

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    const input = /** @type {HTMLInputElement | HTMLSelectElement} */ (target);
    const presets = PRESETS[input.name];
    if (!presets) return changed({ [input.name]: valueOf(input) }, false);
    if (input.value) own.delete(input.name);
    else {
      own.add(input.name);
      unfold(input);
    }
    changed(presets.of[input.value] ?? {}, true);
  });

  return {
    /** Shows a state, which the reader may just be `typing`. @param {State} state @param {boolean} typing */
    fill(state, typing) {
      if (!typing) own.clear();
      for (const name of /** @type {Name[]} */ (Object.keys(BEGINNING))) {
        const input = control(name);
        if (input instanceof HTMLInputElement && input.type === "checkbox") input.checked = Boolean(state[name]);
        // What is being typed stays as it is typed.
        else if (!typing || input !== document.activeElement)
          input.value = Number.isNaN(state[name]) ? "" : String(state[name]);
      }
      for (const [name, { of }] of Object.entries(PRESETS)) {
        const same = Object.entries(of).find(([, values]) =>
          Object.entries(values).every(([key, value]) => state[/** @type {Name} */ (key)] === value),
        );
        control(name).value = same && !own.has(name) ? same[0] : "";
      }
    },
    /** @param {[Name, string][]} wrong */
    mark(wrong) {
      for (const input of form.querySelectorAll("[aria-invalid]")) {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
      }
      for (const words of form.querySelectorAll(".fault")) words.remove();
      for (const [name, words] of wrong) {
        const input = control(name);
        const id = `fault-${name}`;
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", id);
        input.closest(".field")?.after(element("p", { class: "fault", id }, words));
        if (input.closest("details")) unfold(input);
      }
    },
  };
}

/** @param {HTMLInputElement | HTMLSelectElement} input */
function valueOf(input) {
  if (input instanceof HTMLSelectElement) return input.value;
  return input.type === "checkbox" ? input.checked : input.value === "" ? NaN : Number(input.value);
}

/** @param {Name} name */
function field(name) {
  const id = `plan-${name}`;
  const number = NUMBERS[name];
  if (number) {
    const bounds = { min: String(number.min), max: String(number.max), step: String(number.step ?? 1) };
    const input = element("input", { type: "number", inputmode: "decimal", name, id, ...bounds });
    const unit = number.unit ? [element("i", {}, number.unit)] : [];
    return element(
      "div",
      { class: "field" },
      element("label", { for: id }, number.label),
      element("span", {}, input, ...unit),
    );
  }
  const choice = CHOICES[name];
  if (choice) return selection(name, choice.label, Object.entries(choice.options));
  const box = element("input", { type: "checkbox", name, id });
  return element("div", { class: "field switch" }, box, element("label", { for: id }, SWITCHES[name]?.label ?? name));
}

/** @param {string} name @param {string} label @param {[string, string][]} options */
function selection(name, label, options) {
  const id = `plan-${name}`;
  const select = element(
    "select",
    { name, id },
    ...options.map(([value, words]) => element("option", { value }, words)),
  );
  return element("div", { class: "field wide" }, element("label", { for: id }, label), select);
}
