// Search hits come with their fragment behind `?to=` (search/worker.js says why): make them addresses of cards again.

export function leadHitsToCards() {
  const list = document.querySelector(".md-search-result__list");
  if (!list) return;
  new MutationObserver(() => {
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (list.querySelectorAll("a[href*='?to=']"));
    links.forEach((link) => (link.href = link.href.replace("?to=", "#")));
  }).observe(list, { childList: true });
}

/** The button that opens the search where the window is narrow: its field can't take the focus while it is hidden. */
export function openSearchByButton() {
  document.querySelector("button.glass")?.addEventListener("click", () => {
    const toggle = /** @type {HTMLInputElement | null} */ (document.getElementById("__search"));
    if (toggle && !toggle.checked) toggle.click();
    /** @type {HTMLInputElement | null} */ (document.querySelector("[data-md-component=search-query]"))?.focus();
  });
}
