// The two buttons of a true/false question, over the form of mkdocs-quiz.

import { showAnswer } from "./reveal.js";

export function verdictButtons() {
  // After the script of mkdocs-quiz, which restores earlier answers once the document is there.
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".verdict").forEach(wire));
}

/** @param {Element} quiz */
function wire(quiz) {
  const form = /** @type {HTMLFormElement} */ (quiz.querySelector("form"));
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (quiz.querySelectorAll("[data-checks]"));
  const answered = () => !!quiz.querySelector(".correct, .wrong");
  const reflect = () => {
    buttons.forEach((button) => {
      button.disabled = answered();
      button.setAttribute("aria-pressed", String(radio(button).checked));
    });
  };
  const radio = (/** @type {HTMLButtonElement} */ button) =>
    /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.checks ?? ""));
  buttons.forEach((button) => {
    button.addEventListener("click", () => {
      radio(button).checked = true;
      form.requestSubmit();
      reflect();
      const card = quiz.closest(".card");
      if (card) showAnswer(card);
    });
  });
  quiz.querySelector(".quiz-reset-button")?.addEventListener("click", () => {
    reflect();
    buttons[0].focus();
  });
  reflect();
}
