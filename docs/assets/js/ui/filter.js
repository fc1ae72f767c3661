// Which cards of a page are shown: by kind, by difficulty, by what checks them. What is chosen is in the address.

/** Shows the filter that the page brings, and does what is chosen in it. */
export function filterCards() {
  const filter = /** @type {HTMLDetailsElement | null} */ (document.querySelector("details.filter"));
  if (!filter) return;
  const form = /** @type {HTMLFormElement} */ (filter.querySelector("form"));
  const cards = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("article.card"));
  const selects = [...form.querySelectorAll("select")];
  const told = /** @type {HTMLElement} */ (filter.querySelector("[role=status]"));

  const apply = () => {
    const wanted = selects.filter((select) => select.value);
    let shown = 0;
    for (const card of cards) {
      // A card may have several values of one thing: a formula and a run.
      card.hidden = !wanted.every((select) => (card.dataset[select.name] ?? "").split(" ").includes(select.value));
      shown += Number(!card.hidden);
    }
    told.textContent = wanted.length ? `${shown} of ${cards.length} shown` : "";
    const address = new URL(location.href);
    for (const { name, value } of selects) value ? address.searchParams.set(name, value) : address.searchParams.delete(name);
    if (address.href !== location.href) history.replaceState(null, "", address);
  };
  // Whoever follows a link to a card wants to see it.
  const unhide = () => {
    const card = /** @type {HTMLElement | null | undefined} */ (
      document.getElementById(location.hash.slice(1))?.closest("article.card")
    );
    if (!card?.hidden) return;
    form.reset();
    apply();
    card.scrollIntoView();
  };

  const asked = new URLSearchParams(location.search);
  for (const select of selects) {
    const value = asked.get(select.name) ?? "";
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", apply);
  addEventListener("hashchange", unhide);
  filter.hidden = false;
  filter.open = selects.some((select) => select.value);
  apply();
  unhide();
}
