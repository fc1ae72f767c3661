// Search hits come with their fragment behind `?to=` (search/worker.js says why): make them addresses of cards again.

export function leadHitsToCards() {
  const list = document.querySelector(".md-search-result__list");
  if (!list) return;
  new MutationObserver(() => {
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (list.querySelectorAll("a[href*='?to=']"));
    links.forEach((link) => (link.href = link.href.replace("?to=", "#")));
  }).observe(list, { childList: true });
}

const query = () => /** @type {HTMLInputElement | null} */ (document.querySelector("[data-md-component=search-query]"));

// Material takes each of these for a command wherever it is typed; a stray letter should not leave the page.
const LETTERS = new Set(["f", "s", "p", ",", "n", "."]);

/** The button of narrow windows, and the key `/`: the field can't take the focus while it is hidden. */
export function openSearch() {
  const toggle = /** @type {HTMLInputElement | null} */ (document.getElementById("__search"));
  const open = () => {
    if (toggle && !toggle.checked) toggle.click();
    query()?.focus();
  };
  document.querySelector("button.glass")?.addEventListener("click", open);
  const decide = (/** @type {KeyboardEvent} */ event) => {
    const { key, target } = event;
    const typing = target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
    if (event.ctrlKey || event.metaKey || event.altKey || toggle?.checked) return;
    if (typing && !target.matches("[type=checkbox], [type=radio]")) return;
    if (key === "/") {
      event.preventDefault();
      open();
    }
    if (key === "/" || LETTERS.has(key)) event.stopImmediatePropagation();
  };
  // On its way down, before Material sees it.
  addEventListener("keydown", decide, true);
}

/** Material looks at the field when a key is let go; what is pasted or dictated comes without one. */
export function searchWhatIsPasted() {
  query()?.addEventListener("input", () => query()?.dispatchEvent(new KeyboardEvent("keyup")));
}
