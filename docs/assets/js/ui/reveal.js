// The two-step reveal: native <details>, opened from an address, or all at once.

const REVEALS = "details.reveal";

/** @param {HTMLDetailsElement} details */
function show(details, open = true) {
  details.open = open;
  // What the reader has opened is printed; Material opens everything else to print it too.
  details.toggleAttribute("data-shown", open);
}

/** Opens what the address points into (`#id--answer`, `#id--why`), and the step before it. */
export function openByAddress() {
  const open = () => {
    // Ids are plain; whatever else an address ends in (`#50%`) names nothing.
    const target = document.getElementById(location.hash.slice(1));
    const details = /** @type {HTMLDetailsElement | null | undefined} */ (target?.closest(REVEALS));
    if (!target || !details) return;
    const before = details.previousElementSibling;
    if (before instanceof HTMLDetailsElement && before.matches(REVEALS)) show(before);
    show(details);
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}

/** The button that opens every answer of the page, and closes them again. */
export function revealAll() {
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-reveal-all]"));
  if (!button) return;
  button.hidden = false;
  const all = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(REVEALS));
  const name = () => {
    button.textContent = [...all].every((details) => details.open) ? "Hide all" : "Reveal all";
  };
  button.addEventListener("click", () => {
    const open = ![...all].every((details) => details.open);
    all.forEach((details) => show(details, open));
    name();
  });
  all.forEach((details) => details.addEventListener("toggle", name));
  name();
}

/** Marks what the reader opens by hand, keyboard included: a key on a summary is a click. */
export function rememberShown() {
  document.addEventListener("click", ({ target }) => {
    const summary = target instanceof Element && target.closest("summary");
    const details = summary && summary.parentElement;
    if (details instanceof HTMLDetailsElement) details.toggleAttribute("data-shown", !details.open);
  });
}

/** The right choice leads on to the answer, as a right verdict does. */
export function answerRightChoices() {
  // Not at `toggle`, which printing brings about too.
  document.addEventListener("click", ({ target }) => {
    const choice = target instanceof Element && target.closest(".choice.right > summary")?.closest("details");
    const card = choice && !choice.open && choice.closest(".card");
    if (card) showAnswer(card);
  });
}

/** @param {Element} card */
export function showAnswer(card) {
  const details = /** @type {HTMLDetailsElement | null} */ (card.querySelector("details.answer"));
  if (details) show(details);
}
