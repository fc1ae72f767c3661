// Search hits come with their fragment behind `?to=` (search/worker.js says why): make them addresses of cards again.

export function leadHitsToCards() {
  const list = document.querySelector(".md-search-result__list");
  if (!list) return;
  new MutationObserver(() => {
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (list.querySelectorAll("a[href*='?to=']"));
    links.forEach((link) => (link.href = link.href.replace("?to=", "#")));
  }).observe(list, { childList: true });
}
