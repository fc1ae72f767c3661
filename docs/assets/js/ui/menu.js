// The menu of narrow windows is a <details>: it opens by itself, and closes as a menu should.

export function closeMenu() {
  const menu = /** @type {HTMLDetailsElement | null} */ (document.querySelector("details.menu"));
  if (!menu) return;
  document.addEventListener("click", ({ target }) => {
    const inside = target instanceof Element && target.closest(".menu");
    if (!inside || target.closest("a")) menu.open = false;
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
